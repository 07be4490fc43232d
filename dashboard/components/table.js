// A table as a grid: names are links, intervals are drawn in the row, two ticked rows are compared.
// Order, search and page stand in the address, which this asks to change and reads anew.

const FIRST = 150; // rows that are drawn at once; the others follow in the next frame
const SEARCHED = 9; // rows from which on there is a search
const marks = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const safe = (text) => String(text ?? "").replace(/[&<>"']/g, (mark) => marks[mark]);
const fold = (text) => text.toLocaleLowerCase();

/** A line from low to high with a point, on the scale of its column. */
function drawing(column, i) {
  const [low, high] = [column.low?.[i] ?? null, column.high?.[i] ?? null];
  if (low === null || high === null) return "";
  const [from, to] = column.scale;
  const at = (value) => Math.min(126, Math.max(4, 4 + (122 * (value - from)) / (to - from || 1)));
  const x = (value) => at(value).toFixed(1);
  const value = column.values[i];
  const point = value < from ? '<path d="M8 3L2 7L8 11Z"/>' // beyond the scale
    : value > to ? '<path d="M122 3L128 7L122 11Z"/>'
    : `<circle cx="${x(value)}" cy="7" r="3.5"/>`;
  const zero = column.zero ? `<line class="zero" x1="${x(0)}" x2="${x(0)}" y1="0" y2="14"/>` : "";
  return `<svg viewBox="0 0 130 14" aria-hidden="true">${zero}<line x1="${x(low)}" x2="${x(high)}"
y1="7" y2="7"/>${point}</svg>`;
}

/** A bar for each group of a row; those of neighbouring rows join to bands. */
function bandsOf(column, i) {
  const step = Math.min(12, 104 / column.n_bands);
  const bars = column.bands[i].map((k) =>
    `<rect x="${(k * step).toFixed(1)}" width="${(step * 0.6).toFixed(1)}" height="100%"/>`);
  return `<svg class="bands" aria-hidden="true">${bars.join("")}</svg>`;
}

/** Values from left to right, on a scale of their own. */
function history(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const points = values.map((value, k) => `${(4 + (122 * k) / (values.length - 1)).toFixed(1)},` +
    `${(12 - (10 * (value - low)) / (high - low || 1)).toFixed(1)}`);
  return `<svg viewBox="0 0 130 14" aria-hidden="true"><polyline points="${points.join(" ")}"/></svg>`;
}

function cell(column, i) {
  if (column.lines) return column.lines[i].length > 1 ? history(column.lines[i]) : "";
  const to = column.href?.[i] ?? "";
  const outside = /^https?:/i.test(to) ? ' target="_blank" rel="noopener noreferrer"' : "";
  const isOurs = !/^[a-z][a-z0-9+.-]*:/i.test(to); // no other scheme is a link: it may be a script
  const text = to && (isOurs || outside)
    ? `<a${outside} href="${safe(to)}" tabindex="-1">${safe(column.texts[i])}</a>`
    : safe(column.texts[i]);
  if (column.bands) return text + bandsOf(column, i);
  const line = drawing(column, i);
  if (column.long) return `<div class="clamp" title="${safe(column.texts[i])}">${text}</div>`;
  return !line ? text
    : `<div class="drawn" title="${safe(column.words[i])}"><span>${text}</span>` +
      `<span class="sr">${safe(column.words[i])}</span>${line}</div>`;
}

const signs = { "<": (a, b) => a < b, ">": (a, b) => a > b, "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b, "=": (a, b) => a === b };

/** Whether a row matches one word of a search: text of any column, or a bound as in items>500. */
function matcher(term, columns) {
  const [, name, sign, text] = term.match(/^(.+?)(<=|>=|<|>|=)(.+)$/) ?? [];
  const column = name && columns.find((one) =>
    [fold(one.name), fold(one.label).replace(/\s+/g, "")].includes(name));
  if (!column) return (i) => columns.some(({ texts }) => fold(texts[i]).includes(term));
  const bound = Number(text);
  return (i) => {
    const value = column.values[i];
    if (typeof value === "string" || Number.isNaN(bound))
      return sign === "=" && fold(column.texts[i]).includes(text);
    return value !== null && signs[sign](value, bound);
  };
}

class Table {
  constructor(root) {
    this.root = root;
    this.ticked = [];
    root.innerHTML = `<div class="bar"><input type="search" placeholder="Search" hidden
title="Words, or bounds of a column: items&gt;500"><a class="compare">Compare two</a><span
role="status"></span></div><div class="frame"><table role="grid"><thead></thead><tbody></tbody>
</table></div><div class="pages" hidden><button type="button" data-by="-1">Previous</button><span>
</span><button type="button" data-by="1">Next</button></div>`;
    [this.search, this.pair, this.status, this.grid, this.head, this.body, this.pages] = ["input",
      "a", "[role=status]", "table", "thead", "tbody", ".pages"].map((selector) =>
      root.querySelector(selector));
    this.search.oninput = () => this.ask({ find: this.search.value.trim(), page: "" });
    this.head.onclick = ({ target }) => this.sort(target.closest("button")?.dataset.at);
    this.pages.onclick = ({ target }) => this.turn(Number(target.dataset.by));
    this.body.onchange = ({ target }) => this.tick(target.closest("tr"));
    this.body.onclick = (event) => this.fold(event) || this.open(event);
    this.body.onkeydown = (event) => this.onKey(event);
    this.onHistory = () => this.draw();
    window.addEventListener("popstate", this.onHistory);
    this.watch = new ResizeObserver(([{ contentRect }]) => {
      if (contentRect.width !== this.width) this.fit();
    });
    this.watch.observe(this.grid.parentElement);
  }

  /** Names take several lines where columns would be cut otherwise. */
  fit() {
    const frame = this.grid.parentElement;
    this.width = frame.clientWidth;
    this.grid.classList.remove("tight");
    this.grid.classList.toggle("tight", frame.scrollWidth > frame.clientWidth);
  }

  show(data) {
    const told = JSON.stringify(data);
    if (told === this.told) return; // nothing new: focus, scroll and ticks stay
    Object.assign(this, { paged: undefined, groups: undefined }, data, { told, drawn: undefined });
    for (const column of data.columns)
      column.values ??= column.texts.map((text) => text === data.missing ? null : fold(text));
    this.main = data.columns.find((column) => column.href) ?? data.columns[0];
    this.rowNames = this.main?.texts ?? [];
    if (!this.paged) this.ticked = this.ticked.filter((name) => this.rowNames.includes(name));
    this.grid.ariaLabel = data.label;
    this.grid.ariaMultiSelectable = data.compare ? "true" : null;
    this.search.ariaLabel = `Search ${data.label}`;
    this.search.hidden = !data.searched || (!this.paged && this.rowNames.length < SEARCHED);
    this.draw();
  }

  said(name) {
    return new URLSearchParams(window.location.search).get(this.names[name]) ?? "";
  }

  /** Groups that the address folds. */
  folded() {
    return new URLSearchParams(window.location.search).getAll(this.names.folded);
  }

  /** The order asked for by the address: a column, with a minus from the highest down. */
  asked() {
    const asked = this.said("sort") || this.order;
    const known = this.columns.some(({ name }) => name === asked.replace(/^-/, ""));
    return known ? asked : this.order;
  }

  /** Write into the address, in the entry that there is; "" takes a parameter out. */
  ask(changes, soon = true) {
    const url = new URL(window.location.href);
    for (const [name, told] of Object.entries(changes)) {
      url.searchParams.delete(this.names[name]);
      for (const text of [told].flat().filter(Boolean))
        url.searchParams.append(this.names[name], text);
    }
    url.searchParams.sort();
    window.dispatchEvent(new CustomEvent("tune", { detail: { href: url.href, soon } }));
    this.draw();
  }

  sort(at) {
    if (at === undefined) return;
    const { name, falls } = this.columns[at];
    const now = this.asked();
    const next = now === name ? `-${name}` : now === `-${name}` ? name
      : falls ? `-${name}` : name;
    this.ask({ sort: next === this.order ? "" : next, page: "" });
    this.head.querySelector(`[data-at="${at}"]`)?.focus();
  }

  turn(by) {
    const page = this.paged.page + by;
    if (by) this.ask({ page: page > 1 ? String(page) : "" }, false);
  }

  rows() {
    const rows = this.rowNames.map((_, i) => i);
    if (this.paged) return rows;
    const wanted = fold(this.said("find")).split(/\s+/).filter(Boolean)
      .map((term) => matcher(term, this.columns));
    const order = this.asked();
    const column = this.columns.find(({ name }) => name === order.replace(/^-/, ""));
    const found = rows.filter((i) => wanted.every((holds) => holds(i)));
    if (!column) return found;
    const { values } = column;
    const sign = order.startsWith("-") ? -1 : 1;
    return found.sort((i, j) => {
      if (values[i] === null || values[j] === null)
        return (values[i] === null) - (values[j] === null) || i - j;
      return sign * (values[i] < values[j] ? -1 : values[i] > values[j] ? 1 : 0) || i - j;
    });
  }

  /** Rows in groups, each below a line with its name; groups stand as their first rows would. */
  lines(rows) {
    if (!this.groups) return rows.map((i, at) => this.row(i, at));
    const of = new Map();
    for (const i of rows) of.set(this.groups[i], [...(of.get(this.groups[i]) ?? []), i]);
    const folded = this.folded();
    const lines = [];
    for (const [name, inside] of of) {
      const isOpen = !folded.includes(name);
      lines.push(this.heading(name, inside.length, isOpen, lines.length));
      if (isOpen) for (const i of inside) lines.push(this.row(i, lines.length));
    }
    return lines;
  }

  heading(name, n, isOpen, at) {
    const width = this.columns.length + (this.compare ? 1 : 0);
    return `<tr class="group" tabindex="-1" aria-rowindex="${at + 2}"><th colspan="${width}"
scope="rowgroup"><button type="button" tabindex="-1" aria-expanded="${isOpen}"
data-group="${safe(name)}">${safe(name)} <small>${n.toLocaleString("en")}</small></button></th></tr>`;
  }

  /** A click on the name of a group folds or opens it; whether it was one. */
  fold({ target }) {
    const name = target.closest("[data-group]")?.dataset.group;
    if (name === undefined) return false;
    const folded = this.folded();
    this.ask({ folded: folded.includes(name) ? folded.filter((one) => one !== name)
      : [...folded, name] });
    [...this.body.querySelectorAll("[data-group]")].find((one) => one.dataset.group === name)
      ?.focus();
    return true;
  }

  draw() {
    const now = JSON.stringify([this.asked(), this.said("find"), this.folded()]);
    if (now === this.drawn) return;
    this.drawn = now;
    if (this.root.getRootNode().activeElement !== this.search)
      this.search.value = this.said("find");
    const order = this.asked();
    const way = order.startsWith("-") ? "descending" : "ascending";
    const ticks = this.compare ? '<th><span class="sr">Ticked</span></th>' : "";
    this.head.innerHTML = `<tr>${ticks}${this.columns.map((column, at) =>
      `<th scope="col" class="${this.look(column)}"` +
      `${column.name === order.replace(/^-/, "") ? ` aria-sort="${way}"` : ""}` +
      `${column.help ? ` title="${safe(column.help)}"` : ""}>` +
      `<button type="button" data-at="${at}">${safe(column.label)}</button></th>`)
      .join("")}</tr>`;
    const rows = this.rows();
    const lines = this.lines(rows);
    this.body.innerHTML = lines.slice(0, FIRST).join("");
    this.grid.ariaRowCount = (this.paged?.matching ?? lines.length) + 1;
    this.reach(this.body.rows[0]);
    this.say(rows.length);
    this.fit();
    cancelAnimationFrame(this.later);
    if (lines.length > FIRST)
      this.later = requestAnimationFrame(() => this.body.insertAdjacentHTML("beforeend",
        lines.slice(FIRST).join("")));
  }

  look(column) {
    const flags = ["least", "pinned", "muted", "long"].filter((flag) => column[flag]);
    return [column.kind, column.href ? "link" : "", column.bands ? "banded" : "", ...flags]
      .filter(Boolean).join(" ");
  }

  row(i, at) {
    const name = safe(this.rowNames[i]);
    const on = this.ticked.includes(this.rowNames[i]);
    const before = this.paged ? (this.paged.page - 1) * this.paged.rows : 0;
    const tick = !this.compare ? "" : `<td><input type="checkbox" tabindex="-1"
aria-label="Tick ${name}"${on ? " checked" : ""}></td>`;
    return `<tr tabindex="-1" aria-rowindex="${before + at + 2}"` +
      `${this.compare ? ` aria-selected="${on}"` : ""} data-at="${i}">${tick}` +
      `${this.columns.map((column) =>
        `<td class="${this.look(column)}">${cell(column, i)}</td>`).join("")}</tr>`;
  }

  /** What of a row takes the keyboard: its first link, the name of a group, or the row itself. */
  hand(row) {
    return row.querySelector("a, [data-group]") ?? row;
  }

  /** Tab reaches one row; arrows go on from there. */
  reach(row) {
    this.body.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
    if (row) this.hand(row).setAttribute("tabindex", "0");
  }

  /** A click anywhere in a row follows its link. */
  open(event) {
    if (event.target.closest("a, input, td:has(input)") || String(window.getSelection())) return;
    const link = event.target.closest("tr")?.querySelector("a");
    const { ctrlKey, metaKey, shiftKey } = event;
    link?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, composed: true,
      ctrlKey, metaKey, shiftKey }));
  }

  tick(row) {
    const name = this.rowNames[row.dataset.at];
    const on = !this.ticked.includes(name);
    this.ticked = on ? [...this.ticked, name] : this.ticked.filter((other) => other !== name);
    row.ariaSelected = on;
    row.querySelector("input").checked = on;
    this.say();
  }

  say(shown = this.shown) {
    this.shown = shown;
    const [a, b, more] = this.ticked;
    const ready = b !== undefined && more === undefined;
    if (ready) this.pair.href = `${this.compare}&${new URLSearchParams({ a, b })}`;
    else this.pair.removeAttribute("href");
    this.pair.hidden = !this.compare;
    const matching = this.paged?.matching ?? shown;
    const all = this.paged ? !this.said("find") : shown === this.rowNames.length;
    const told = [all ? this.counted : `${matching.toLocaleString("en")} of ${this.counted}`];
    if (this.compare) told.push(ready ? `${a} against ${b}` : more === undefined ? "Tick two rows."
      : "Two rows at most can be compared.");
    this.status.textContent = told.join(" · ");
    this.pages.hidden = !(this.paged?.pages > 1);
    if (this.pages.hidden) return;
    const { page, pages } = this.paged;
    this.pages.querySelector("span").textContent = `Page ${page} of ${pages}`;
    this.pages.querySelector("[data-by='-1']").disabled = page <= 1;
    this.pages.querySelector("[data-by='1']").disabled = page >= pages;
  }

  onKey(event) {
    const row = event.target.closest("tr");
    const rows = [...this.body.rows];
    const at = rows.indexOf(row);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 10, PageUp: at - 10, Home: 0,
      End: rows.length - 1 }[event.key];
    if (to !== undefined) {
      const next = rows[Math.max(0, Math.min(rows.length - 1, to))];
      this.reach(next);
      this.hand(next).focus({ preventScroll: true });
      next.scrollIntoView({ block: "nearest" });
    } else if (event.key === " " && this.compare && row.dataset.at &&
      event.target.type !== "checkbox") this.tick(row);
    else return;
    event.preventDefault();
  }
}

const tables = new WeakMap();

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".table");
  if (!tables.has(root)) tables.set(root, new Table(root));
  const table = tables.get(root);
  const run = (table.run = (table.run ?? 0) + 1);
  table.show(data);
  return () => {
    if (table.run !== run) return; // a later run has drawn already
    window.removeEventListener("popstate", table.onHistory);
    table.watch.disconnect();
    tables.delete(root);
  };
}
