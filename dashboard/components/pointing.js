// Pointer, touch and keys of the matrix; then what Streamlit calls.

Object.assign(MatrixView.prototype, {
  /** The cell under the pointer, or null. */
  cellAt(event) {
    const box = this.frame.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const [, , width, height] = this.view();
    if (x < this.left || y < this.top || x >= width || y >= height) return null;
    const i = Math.floor((y - this.top + this.frame.scrollTop) / this.cell[1]);
    const j = Math.floor((x - this.left + this.frame.scrollLeft) / this.cell[0]);
    return i < this.table.n[0] && j < this.table.n[1] ? [i, j] : null;
  },

  onMove(event) {
    if (event.pointerType === "touch") return;
    const cell = this.cellAt(event);
    if (!cell) return this.leave();
    if (this.at?.[0] === cell[0] && this.at?.[1] === cell[1] && !this.tip.hidden) return;
    this.show(cell, false);
  },

  /** A finger leaves with every tap; what it tapped stays until it taps elsewhere. */
  onLeave(event) {
    if (event.pointerType !== "touch") this.leave();
  },

  onClick(event) {
    const cell = this.cellAt(event);
    if (!cell) return this.leave();
    const again = this.pinned?.[0] === cell[0] && this.pinned?.[1] === cell[1];
    const touch = event.pointerType === "touch";
    this.show(cell, false, touch && !again);
    this.pinned = cell;
    if (!touch || again) this.choose(cell);
  },

  onFocus() {
    if (!this.frame.matches(":focus-visible")) return;
    const first = [0, Math.min(this.table.square ? 1 : 0, this.table.n[1] - 1)];
    this.show(this.at ?? this.picked ?? this.last ?? first, true);
  },

  onKey(event) {
    const steps = {
      ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
      PageUp: [-10, 0], PageDown: [10, 0], Home: [0, -1e9], End: [0, 1e9],
    };
    const now = this.at ?? this.last ?? [0, 0];
    const step = steps[event.key];
    if (step && !event.altKey) {
      const clamp = (value, n) => Math.max(0, Math.min(n - 1, value));
      const cell = now.map((value, k) => clamp(value + step[k], this.table.n[k]));
      this.reveal(cell);
      this.show(cell, true);
    } else if (event.key === "Enter" || event.key === " ") this.choose(now);
    else if (event.key === "Escape") this.hide();
    else if (event.key === "+") this.scaleTo("larger");
    else if (event.key === "-") this.scaleTo("smaller");
    else if (event.key === "0") this.scaleTo("all");
    else return;
    event.preventDefault();
  },

  leave() {
    this.pinned = null;
    this.hide();
  },

  hide() {
    this.last = this.at ?? this.last;
    this.at = null;
    this.tip.hidden = true;
    if (this.cell) this.point();
  },

  /** Scroll so that the cell shows beside the labels. */
  reveal([i, j]) {
    const [x, y, width, height] = this.view();
    const into = (from, at, size, room) =>
      at < from ? at : at + size > from + room ? at + size - room : from;
    const { cell, left, top } = this;
    this.frame.scrollTo(
      into(x, j * cell[0], cell[0] + 1, width - left),
      into(y, i * cell[1], cell[1] + 1, height - top),
    );
    this.draw();
  },

  /** Point at a cell: crosshair, names, tooltip; `aloud` when it was reached by keyboard. */
  show(cell, aloud, tapped = false) {
    Object.assign(this, { at: cell, aloud, tapped });
    this.point();
    const { head, lines } = this.painter.tip(...cell);
    const line = (text, kind) => {
      const element = document.createElement(kind);
      element.textContent = text;
      return element;
    };
    const hint = this.table.opens(cell) ? (tapped ? "Tap again to open." : "") : "";
    this.tip.replaceChildren(
      ...head.map((text) => line(text, "b")),
      ...lines.map((text) => line(text, "div")),
      ...(hint ? [Object.assign(line(hint, "div"), { className: "hint" })] : []),
    );
    this.tip.hidden = false;
    this.placeTip(cell);
    if (aloud) this.live.textContent = [...head, ...lines].join(". ");
  },

  placeTip([i, j]) {
    const frame = this.frame;
    const x = frame.offsetLeft + this.left + j * this.cell[0] - frame.scrollLeft;
    const y = frame.offsetTop + this.top + i * this.cell[1] - frame.scrollTop;
    const [width, height] = [this.tip.offsetWidth, this.tip.offsetHeight];
    const room = this.root.clientWidth;
    const right = x + this.cell[0] + 14;
    let left = right + width <= room ? right : x - 14 - width;
    let top = y + this.cell[1] + 10;
    if (left < 0) left = Math.max(0, Math.min(x - width / 2, room - width));
    // Below the cell unless that leaves the window; the finger or the pointer stays free.
    const above = y - 10 - height;
    const bottom = this.root.getBoundingClientRect().top + top + height;
    if (bottom > window.innerHeight && above > -60) top = above;
    Object.assign(this.tip.style, { left: `${left}px`, top: `${top}px` });
  },

  choose(cell) {
    if (!this.table.opens(cell)) return;
    this.picked = cell;
    this.point();
    this.pick(cell);
  },
});

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".heatmap");
  if (!root || !data) return undefined;
  if (!views.has(root)) views.set(root, new MatrixView(root));
  const view = views.get(root);
  const run = ++view.run;
  view.update(data, ([row, column]) => {
    const { leads_to, rows, columns, carries = ["a", "b"] } = view.table;
    if (!leads_to) return setTriggerValue("pair", { row, column });
    const address = new URL(leads_to, window.location.href);
    address.searchParams.set(carries[0], rows[row]);
    address.searchParams.set(carries[1], columns[column]);
    const step = new CustomEvent("step", { detail: { href: address.href } });
    return window.dispatchEvent(step);
  });
  // Streamlit may clean up after an earlier run when a later one has already drawn.
  return () => {
    if (view.run !== run) return;
    view.destroy();
    views.delete(root);
  };
}
