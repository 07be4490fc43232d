// A scrolled matrix on two canvases: cells and labels below, what the pointer points at above.
// Only what is visible is drawn, so a thousand rows cost no more than a hundred.

const SIZES = [4, 5, 6, 8, 10, 13, 17, 22, 28, 34, 44, 56];
const LABEL = 11; // px, and the pitch of labels is one more
const PITCH = 12;

// Every how manieth name has room.
const every = (size) => Math.max(1, Math.ceil(PITCH / size));

const views = new WeakMap();

/** Cut the middle out of a name until it fits; both ends tell versions apart. */
function shorten(ctx, name, room) {
  if (ctx.measureText(name).width <= room) return name;
  const letters = Array.from(name);
  let [low, high] = [1, letters.length];
  const cut = (keep) =>
    letters.slice(0, Math.ceil(keep * 0.55)).join("") +
    "…" +
    letters.slice(letters.length - Math.floor(keep * 0.45)).join("");
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ctx.measureText(cut(middle)).width <= room) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

class MatrixView {
  constructor(root) {
    const find = (name) => root.querySelector(`.${name}`);
    Object.assign(this, { root, run: 0, zoom: null, at: null, pinned: null, picked: null });
    for (const name of ["key", "frame", "space", "panes", "tip", "live", "tools", "hint"])
      this[name] = find(name);
    [this.base, this.over] = this.panes.querySelectorAll("canvas");
    this.pen = this.base.getContext("2d");
    this.finger = this.over.getContext("2d");
    const listen = (target, kind, handler) => target.addEventListener(kind, handler.bind(this));
    listen(this.frame, "scroll", this.redraw);
    listen(this.frame, "pointermove", this.onMove);
    listen(this.frame, "pointerleave", this.onLeave);
    listen(this.frame, "click", this.onClick);
    listen(this.frame, "keydown", this.onKey);
    listen(this.frame, "focus", this.onFocus);
    listen(this.frame, "blur", this.leave);
    listen(this.tools, "click", this.onTool);
    this.watch = new ResizeObserver(() => this.layout());
    this.watch.observe(root);
    this.ratio = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    this.onRatio = () => this.layout();
    this.ratio.addEventListener("change", this.onRatio);
  }

  destroy() {
    this.watch.disconnect();
    this.ratio.removeEventListener("change", this.onRatio);
  }

  update(bytes, pick) {
    this.pick = pick;
    const same =
      this.bytes?.length === bytes.length && this.bytes.every((value, k) => value === bytes[k]);
    if (!same) {
      const names = JSON.stringify(this.table?.n) + this.table?.rows.join("\n");
      this.bytes = bytes.slice();
      this.table = unpack(bytes);
      if (this.table.tiles) this.table.tiles.arrived = () => this.onNumbers();
      if (names !== JSON.stringify(this.table.n) + this.table.rows.join("\n")) {
        Object.assign(this, { zoom: null, at: null, picked: null });
        this.frame.scrollTo(0, 0);
      }
      this.picked = this.table.selected ?? this.picked;
      this.frame.setAttribute("aria-label", this.table.label);
      this.hide();
    }
    this.theme = readTheme(this.root);
    this.painter = PAINTERS[this.table.mode](this.table, this.theme);
    this.layout();
  }

  // -------------------------------------------------------------- sizes

  layout() {
    const width = this.root.clientWidth;
    if (!this.table || !width) return;
    const [rows, columns] = this.table.n;
    this.pen.font = `600 ${LABEL}px ${this.theme.font}`; // as when pointed at
    const widest = (names, most) => {
      let longest = 0;
      for (const name of names) {
        longest = Math.max(longest, this.pen.measureText(name).width);
        if (longest >= most) return most;
      }
      return Math.ceil(longest);
    };
    this.left = widest(this.table.rows, Math.max(72, Math.min(210, Math.round(width * 0.27)))) + 10;
    this.top = widest(this.table.columns, width < 520 ? 96 : 130) + 10;
    const largest = this.table.largest;
    const short = this.left + 4 * columns + 1 - width; // names give way to the smallest cells
    if (short > 0 && short < this.left - 90) this.left -= short;
    const fit = (room, n, most) => Math.max(4, Math.min(most, Math.floor(room / n)));
    let across = fit(width - this.left - 1, columns, largest[0]);
    const named = fit(1000 - this.top - 1, rows, PITCH + 1); // every name has room, where all fit
    let down = this.table.square ? across : Math.max(named, fit(640, rows, largest[1]));
    if (this.zoom !== null) {
      across = this.zoom;
      down = this.table.square ? across : Math.max(4, Math.min(across, 24));
    }
    this.cell = [across, down];
    this.gap = Math.min(across, down) >= 9 ? 1 : 0;
    const [w, h] = [this.left + columns * across + 1, this.top + rows * down + 1];
    const most = Math.max(360, Math.min(1000, Math.round(window.innerHeight * 0.75)));
    const whole = this.zoom === null && h <= 1000; // not scrolled where it need not be
    const bar = w > width ? 16 : 0;
    const height = whole ? h : Math.min(h, most);
    Object.assign(this.space.style, { width: `${w}px`, height: `${h}px` });
    this.frame.style.height = `${height + bar}px`;
    this.frame.style.maxWidth = `${Math.min(width, w + (h > height ? 16 : 0))}px`;
    this.whole = [w, h];
    this.fillKey();
    this.draw();
    this.showTools();
  }

  view() {
    const width = Math.min(this.frame.clientWidth, this.whole[0]);
    const height = Math.min(this.frame.clientHeight, this.whole[1]);
    return [this.frame.scrollLeft, this.frame.scrollTop, width, height];
  }

  /** Numbers have come: those that are drawn, and those of the cell under the pointer. */
  onNumbers() {
    this.redraw();
    if (this.at) this.show(this.at, this.aloud, this.tapped);
  }

  redraw() {
    cancelAnimationFrame(this.waiting);
    this.waiting = requestAnimationFrame(() => this.draw());
  }

  // -------------------------------------------------------------- drawing

  draw() {
    const seen = this.view();
    for (const canvas of [this.base, this.over]) {
      const ratio = devicePixelRatio || 1;
      canvas.width = Math.round(seen[2] * ratio);
      canvas.height = Math.round(seen[3] * ratio);
      Object.assign(canvas.style, { width: `${seen[2]}px`, height: `${seen[3]}px` });
    }
    this.paint(this.pen, seen, devicePixelRatio || 1);
    this.point();
    this.root.dataset.state = "drawn";
  }

  /** Paint the cells and labels that show in `[x, y, width, height]`. */
  paint(ctx, [x, y, width, height], ratio) {
    const { left, top, theme, gap } = this;
    const [across, down] = this.cell;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.fillStyle = css(theme.ground);
    ctx.fillRect(0, 0, width, height);
    const range = (from, room, size, n) => [
      Math.max(0, Math.floor(from / size)),
      Math.min(n, Math.ceil((from + room) / size)),
    ];
    const rows = range(y, height - top, down, this.table.n[0]);
    const columns = range(x, width - left, across, this.table.n[1]);
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width - left, height - top);
    ctx.clip();
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.font = `${across > 52 ? 12 : LABEL}px ${theme.font}`;
    const period = across >= 12 ? 6 : 4;
    const pattern = hatch(ctx, theme, ratio, period, [(left - x) % period, (top - y) % period]);
    for (let i = rows[0]; i < rows[1]; i++)
      for (let j = columns[0]; j < columns[1]; j++) {
        const at = [left + j * across - x, top + i * down - y];
        this.painter.cell(ctx, i, j, ...at, across, across - gap, pattern, down - gap);
      }
    ctx.restore();
    this.labels(ctx, x, y, width, height, rows, columns);
  }

  labels(ctx, x, y, width, height, rows, columns) {
    const [across, down] = this.cell;
    ctx.fillStyle = css(this.theme.labels);
    ctx.font = `${LABEL}px ${this.theme.font}`;
    ctx.save();
    ctx.beginPath();
    ctx.rect(0, this.top - 5, this.left, height);
    ctx.clip();
    for (let i = rows[0]; i < rows[1]; i++) if (i % every(down) === 0) this.rowLabel(ctx, i, y);
    ctx.restore();
    ctx.save();
    ctx.beginPath();
    ctx.rect(this.left - 5, 0, width, this.top);
    ctx.clip();
    for (let j = columns[0]; j < columns[1]; j++)
      if (j % every(across) === 0) this.columnLabel(ctx, j, x);
    ctx.restore();
  }

  rowLabel(ctx, i, y) {
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    const text = shorten(ctx, this.table.rows[i], this.left - 8);
    ctx.fillText(text, this.left - 6, this.top + (i + 0.5) * this.cell[1] - y + 0.5);
  }

  columnLabel(ctx, j, x) {
    ctx.save();
    ctx.translate(this.left + (j + 0.5) * this.cell[0] - x, this.top - 6);
    ctx.rotate(-Math.PI / 2);
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    ctx.fillText(shorten(ctx, this.table.columns[j], this.top - 8), 0, 0.5);
    ctx.restore();
  }

  /** Draw the crosshair, both names, and the ring of the picked cell, on the upper canvas. */
  point() {
    const ctx = this.finger;
    const ratio = devicePixelRatio || 1;
    const [x, y, width, height] = this.view();
    const [across, down] = this.cell;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    const place = ([i, j]) => [this.left + j * across - x, this.top + i * down - y];
    ctx.save();
    ctx.beginPath();
    ctx.rect(this.left - 1, this.top - 1, width - this.left + 1, height - this.top + 1);
    ctx.clip();
    ctx.strokeStyle = css(this.theme.text);
    if (this.picked) {
      ctx.lineWidth = 2;
      const [left, top] = place(this.picked);
      ctx.strokeRect(left - 1, top - 1, across + 2 - this.gap, down + 2 - this.gap);
    }
    if (this.at) {
      const [left, top] = place(this.at);
      ctx.fillStyle = css(this.theme.text, 0.45);
      for (const edge of [top - 1, top + down - this.gap])
        ctx.fillRect(this.left, edge, width, 1);
      for (const edge of [left - 1, left + across - this.gap])
        ctx.fillRect(edge, this.top, 1, height);
      ctx.lineWidth = 2;
      ctx.strokeRect(left - 1, top - 1, across + 2 - this.gap, down + 2 - this.gap);
    }
    ctx.restore();
    if (!this.at) return;
    ctx.font = `600 ${LABEL}px ${this.theme.font}`;
    this.strip(this.at[0], down, (middle, color) => {
      ctx.fillStyle = color;
      ctx.fillRect(0, this.top + middle - y - PITCH / 2 - 1, this.left - 3, PITCH + 2);
    });
    this.strip(this.at[1], across, (middle, color) => {
      ctx.fillStyle = color;
      ctx.fillRect(this.left + middle - x - PITCH / 2 - 1, 0, PITCH + 2, this.top - 3);
    });
    ctx.fillStyle = css(this.theme.text);
    this.rowLabel(ctx, this.at[0], y);
    this.columnLabel(ctx, this.at[1], x);
  }

  /** Wipe out the names that the one pointed at would overlap, then lay its own strip. */
  strip(k, size, fill) {
    const stride = every(size);
    const nearest = Math.round(k / stride) * stride;
    for (const other of [nearest - stride, nearest, nearest + stride])
      if (other !== k && Math.abs(other - k) * size < PITCH)
        fill((other + 0.5) * size, css(this.theme.ground));
    fill((k + 0.5) * size, css(this.theme.raised));
  }

  // -------------------------------------------------------------- key and tools

  fillKey() {
    const legend = this.painter.legend(this.cell[0] < SMALL, this.cell);
    const swatch = (width, height, paint) => {
      const canvas = document.createElement("canvas");
      const ratio = devicePixelRatio || 1;
      canvas.width = width * ratio;
      canvas.height = height * ratio;
      Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
      const ctx = canvas.getContext("2d");
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      paint(ctx, ratio);
      return canvas;
    };
    const entry = (...parts) => {
      const span = document.createElement("span");
      span.append(...parts);
      return span;
    };
    const scale = swatch(120, 12, (ctx) => scaleBar(ctx, legend, 120, 12));
    this.key.replaceChildren(
      entry(legend.caption),
      entry(legend.low, scale, legend.high),
      ...legend.items.map((item) => {
        const paint = (ctx, ratio) => item.paint(ctx, 14, hatch(ctx, this.theme, ratio, 5, [0, 0]));
        return entry(swatch(14, 14, paint), item.text);
      }),
    );
  }

  showTools() {
    const [smaller, larger, all, svg] = this.tools.querySelectorAll("button");
    svg.hidden = Math.max(...this.table.n) > MOST_SVG;
    smaller.disabled = this.cell[0] <= SIZES[0];
    larger.disabled = this.cell[0] >= SIZES.at(-1);
    all.hidden = this.zoom === null;
    const [rows, columns] = this.table.n;
    const thin = rows * this.cell[1] < rows * PITCH || columns * this.cell[0] < columns * PITCH;
    this.hint.textContent = thin ? "Not every name has room; + shows them." : "";
  }

  onTool(event) {
    const what = event.target.dataset?.do;
    if (what === "svg" || what === "png") this.save(what);
    else if (what) this.scaleTo(what);
  }

  scaleTo(what) {
    const now = this.cell[0];
    const middle = this.at ?? this.picked;
    if (what === "all") this.zoom = null;
    if (what === "larger") this.zoom = SIZES.find((size) => size > now) ?? now;
    if (what === "smaller") this.zoom = SIZES.findLast((size) => size < now) ?? now;
    this.hide();
    this.layout();
    if (middle) this.reveal(middle);
  }
}
