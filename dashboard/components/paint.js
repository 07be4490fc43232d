// Colours, number formats and cell painters. `heatmap.js` follows in the same module.

const MINUS = "\u2212";
const DASH = "\u2013";
const [NOT_COMPARABLE, UNDECIDED, BETTER, WORSE, EQUIVALENT] = [0, 1, 2, 3, 4];

// ---------------------------------------------------------------- numbers, as numbers.py prints

function fixed(value, places, signed) {
  if (!Number.isFinite(value)) return DASH;
  const size = Math.abs(value);
  let digits = size < 1e15 ? rounded(size, places) : shortest(size, 3);
  if (size && places >= 8 && !/[1-9]/.test(digits)) digits = shortest(size, 1).replace("-", MINUS);
  const nonzero = /[1-9]/.test(digits);
  return (value < 0 && nonzero ? MINUS : signed && nonzero ? "+" : "") + digits;
}

/** The nearest printed number, of two equally near the even one: `toFixed` takes the larger. */
function rounded(size, places) {
  const digits = size.toFixed(places);
  const isMiddle = /^50*$/.test(size.toFixed(places + 25).slice(-25));
  return isMiddle && digits.at(-1) % 2 ? digits.slice(0, -1) + (digits.at(-1) - 1) : digits;
}

/** A number as 1.81e+98, with two digits of the exponent at least. */
function shortest(size, places) {
  const digits = size.toExponential(places).replace(/\.?0*e/, "e");
  return digits.replace(/(e[+-])(\d)$/, "$10$2");
}

function pvalue(p) {
  if (!(p >= 0)) return DASH;
  if (p < 0.0001) return "< 0.0001";
  if (p > 0.999) return p >= 1 ? "1" : "> 0.999";
  return p >= 0.1 ? rounded(p, 3) : rounded(p, 4);
}

function counted(n, noun) {
  return `${n.toLocaleString("en-US")} ${noun}${n === 1 ? "" : "s"}`;
}

// ---------------------------------------------------------------- what Python sent

const READERS = { f8: Float64Array, f4: Float32Array, u4: Uint32Array, u2: Uint16Array, u1: Uint8Array };

function unpack(bytes) {
  const copy = bytes.slice(); // begins its buffer, and is ours
  const length = new DataView(copy.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(copy.subarray(4, 4 + length)));
  const rows = header.rows.length;
  const columns = header.columns ? header.columns.length : rows;
  const arrays = {};
  for (const [name, plane] of Object.entries(header.planes)) {
    if ("value" in plane) continue;
    const Kind = READERS[plane.type];
    const end = plane.offset + plane.size * Kind.BYTES_PER_ELEMENT;
    arrays[name] = new Kind(copy.buffer.slice(plane.offset, end)); // f8 may stand at any place
  }
  const upper = (i, j) => i * columns - (i * (i + 1)) / 2 + j - i - 1;
  const get = {};
  for (const [name, plane] of Object.entries(header.planes)) {
    const own = arrays[name];
    const mirror = arrays[plane.mirror];
    if ("value" in plane) get[name] = () => plane.value;
    else if (plane.form === "full") get[name] = (i, j) => own[i * columns + j];
    else if (plane.form === "symmetric")
      get[name] = (i, j) => own[i < j ? upper(i, j) : upper(j, i)];
    else if (plane.form === "complement")
      get[name] = (i, j) => (i < j ? own[upper(i, j)] : restOf(mirror[upper(j, i)]));
    else if (plane.form === "mirrored")
      get[name] = (i, j) => (i < j ? own[upper(i, j)] : turned(own[upper(j, i)]));
    else get[name] = (i, j) => (i < j ? own[upper(i, j)] : -mirror[upper(j, i)]);
  }
  const opens = ([i, j]) => !header.square || i !== j;
  const tiles = header.tiles && new Tiles(header.tiles, columns);
  for (const name of tiles?.names ?? []) get[name] = (i, j) => tiles.value(name, i, j);
  if (get.looks) {
    const look = (i, j) => lookOf(get.looks(i, j), header.limit, header.sign);
    get.marks = (i, j) => look(i, j)[0];
    get.shade = (i, j) => look(i, j)[1];
  } else get.shade = get.difference;
  return { ...header, columns: header.columns ?? header.rows, get, opens, tiles, n: [rows, columns] };
}

// ---------------------------------------------------------------- colours

let probe;

function rgb(color) {
  probe ??= document.createElement("canvas").getContext("2d");
  probe.fillStyle = "#000";
  probe.fillStyle = color;
  const hex = probe.fillStyle;
  if (hex[0] !== "#") return hex.match(/[\d.]+/g).slice(0, 3).map(Number);
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

function mix(from, to, share) {
  return from.map((value, k) => Math.round(value + (to[k] - value) * share));
}

const css = (color, alpha = 1) => `rgb(${color.join(" ")} / ${alpha})`;

function luminance(color) {
  const [r, g, b] = color.map((v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function readTheme(element) {
  const style = getComputedStyle(element);
  const read = (name, otherwise) => style.getPropertyValue(`--st-${name}`).trim() || otherwise;
  const theme = {
    ground: rgb(read("background-color", "#ffffff")),
    raised: rgb(read("secondary-background-color", "#f4f5f7")),
    text: rgb(read("text-color", "#11151a")),
    better: rgb(read("blue-color", "#1b66ad")),
    worse: rgb(read("orange-color", "#b0500a")),
    same: rgb(read("violet-color", "#3f2470")),
    unclear: rgb(read("gray-color", "#68717c")),
    labels: rgb(read("gray-text-color", "#4d5661")),
    font: read("font", "system-ui, sans-serif"),
  };
  theme.dark = luminance(theme.ground) < 0.3;
  return theme;
}

// ---------------------------------------------------------------- painters

const LEVELS = 40;

/** A pattern of diagonals that stays with the cells when they scroll. */
function hatch(ctx, theme, ratio, period, shift) {
  if (ctx instanceof SvgPen) return new SvgHatch(css(mix(theme.ground, theme.unclear, 0.85)), period);
  const side = Math.round(period * ratio);
  const tile = document.createElement("canvas");
  tile.width = tile.height = side;
  const pen = tile.getContext("2d");
  pen.strokeStyle = css(mix(theme.ground, theme.unclear, 0.85));
  pen.lineWidth = Math.max(1, ratio * (period > 5 ? 1 : 0.8));
  pen.beginPath();
  for (const k of [-1, 0, 1]) {
    pen.moveTo(k * side - 1, side + 1);
    pen.lineTo((k + 1) * side + 1, -1);
  }
  pen.stroke();
  const pattern = ctx.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix([1 / ratio, 0, 0, 1 / ratio, shift[0], shift[1]]));
  return pattern;
}

/** Below this side, in px, a short line at the top or at the bottom stands for ▲ or ▼. */
const SMALL = 11;

function verdictMark(ctx, code, x, y, side, middle, small = side < SMALL) {
  const up = code === BETTER;
  if (small) {
    const [width, height] = side < 7 ? [Math.ceil(side / 2), 1] : [Math.round(side * 0.5), 2];
    const inset = side < 6 ? 1 : Math.max(1, Math.round(side * 0.18));
    const left = Math.floor((side - width) / 2);
    ctx.fillRect(x + left, up ? y + inset : y + side - inset - height, width, height);
    return;
  }
  const half = Math.min(5, Math.max(2.5, side * 0.17));
  const at = [x + side / 2, y + (middle ?? side / 2)];
  ctx.beginPath();
  ctx.moveTo(at[0] - half, at[1] + (up ? half * 0.8 : -half * 0.8));
  ctx.lineTo(at[0] + half, at[1] + (up ? half * 0.8 : -half * 0.8));
  ctx.lineTo(at[0], at[1] + (up ? -half * 0.9 : half * 0.9));
  ctx.fill();
}

function equalMark(ctx, x, y, side, middle) {
  const width = Math.max(2, Math.round(side * 0.36));
  const thick = side < 11 ? 1 : Math.max(1, Math.round(side * 0.06));
  const gap = side < 11 ? 1 : Math.max(2, Math.round(side * 0.09));
  const left = x + (side - width) / 2;
  const top = y + Math.round((middle ?? side / 2) - (2 * thick + gap) / 2);
  ctx.fillRect(left, top, width, thick);
  ctx.fillRect(left, top + thick + gap, width, thick);
}

function ramp(from, to, low, high) {
  return Array.from({ length: LEVELS + 1 }, (_, k) => {
    const color = mix(from, to, low + ((high - low) * k) / LEVELS);
    return { fill: css(color), dark: luminance(color) < 0.18 };
  });
}

/** Rows against columns: colour is direction and strength, a mark is significance. */
function significancePainter(table, theme) {
  const { get, limit, decimals, alpha, quantity, sign, tiles } = table;
  const pale = (hue) => mix(hue, theme.unclear, 0.35);
  const shades = {
    [BETTER]: ramp(theme.ground, theme.better, theme.dark ? 0.5 : 0.36, 1),
    [WORSE]: ramp(theme.ground, theme.worse, theme.dark ? 0.5 : 0.36, 1),
    up: ramp(theme.ground, pale(theme.better), 0.07, 0.27),
    down: ramp(theme.ground, pale(theme.worse), 0.07, 0.27),
    [EQUIVALENT]: ramp(theme.ground, theme.same, 0.2, 0.2),
  };
  const shadeOf = (code, difference) => {
    const level = Math.round(LEVELS * Math.min(1, Math.abs(difference) / limit)) || 0;
    const kind = code === UNDECIDED ? (sign * difference < 0 ? "down" : "up") : code;
    return shades[kind][level];
  };
  // One colour for all marks keeps the texture even; a number needs more contrast than a mark.
  const mark = theme.dark ? "#0b0d10" : "#11151a";
  const light = css(theme.dark ? theme.text : [255, 255, 255]);
  const paintCode = (ctx, code, difference, x, y, side, inner, pattern, number, small) => {
    if (code === NOT_COMPARABLE) {
      ctx.fillStyle = pattern;
      ctx.fillRect(x, y, inner, inner);
      return;
    }
    const shade = shadeOf(code, difference);
    ctx.fillStyle = shade.fill;
    ctx.fillRect(x, y, inner, inner);
    const marked = code !== UNDECIDED;
    ctx.fillStyle = code === EQUIVALENT ? css(theme.same) : number && shade.dark ? light : mark;
    if (number) ctx.fillText(number, x + side / 2, y + side * (marked ? 0.66 : 0.5));
    const middle = number ? side * 0.31 : undefined;
    if (code === EQUIVALENT) equalMark(ctx, x, y, side, middle);
    else if (marked) verdictMark(ctx, code, x, y, side, middle, small);
  };
  const words = (i, j) => {
    const code = get.marks(i, j);
    const n = get.n_items(i, j);
    if (code === BETTER) return "▲ The row is better.";
    if (code === WORSE) return "▼ The row is worse.";
    if (code === EQUIVALENT) return "= The two are equivalent.";
    if (code === UNDECIDED) return "? The data cannot tell.";
    if (Number.isNaN(n)) return "// Not comparable."; // how many items, is not here yet
    return `// Not comparable: ${n > 0 ? "too few" : "no"} shared ${table.noun}s.`;
  };
  return {
    cell(ctx, i, j, x, y, side, inner, pattern) {
      if (i === j) return;
      const isTold = side >= 46 && (!tiles || tiles.has(i));
      const number = isTold ? fixed(get.difference(i, j), decimals, true) : "";
      paintCode(ctx, get.marks(i, j), get.shade(i, j), x, y, side, inner, pattern, number);
    },
    tip(i, j) {
      if (i === j) return { head: [table.rows[i]], lines: [`The same ${table.thing ?? "system"}.`] };
      const head = [table.rows[i], `against ${table.columns[j]}`];
      if (tiles && !tiles.has(i)) return { head, lines: [words(i, j), "The numbers are coming …"] };
      if (tiles?.isLost(i)) return { head, lines: [words(i, j), "For its numbers load the page anew."] };
      const lines = [words(i, j)];
      if (Number.isFinite(get.difference(i, j))) {
        const [low, high] = [get.ci_low(i, j), get.ci_high(i, j)];
        lines.push(`Difference in ${quantity}: ${fixed(get.difference(i, j), decimals, true)}`);
        if (Number.isFinite(low) && Number.isFinite(high))
          lines.push(
            `${+(100 - 100 * alpha).toFixed(4)} % interval: ` +
              `${fixed(low, decimals, true)} to ${fixed(high, decimals, true)}`,
          );
      }
      const [p, adjusted] = [get.pvalue(i, j), get.pvalue_adjusted(i, j)];
      if (p >= 0) lines.push(`p ${pvalue(p)}` + (adjusted >= 0 ? `, adjusted ${pvalue(adjusted)}` : ""));
      else if (adjusted >= 0) lines.push(`adjusted p ${pvalue(adjusted)}`);
      lines.push(counted(get.n_items(i, j), table.noun));
      return { head, lines };
    },
    legend(small) {
      const end = fixed(limit, decimals, true);
      const sample = (code, difference, text) => ({
        text,
        paint: (ctx, side, pattern) =>
          paintCode(ctx, code, difference, 0, 0, side, side, pattern, "", small || undefined),
      });
      const items = [];
      const [up, down] = small ? ["line above:", "line below:"] : ["▲", "▼"];
      if (table.codes.includes(BETTER) || table.codes.includes(WORSE))
        items.push(
          sample(BETTER, limit * 0.7, `${up} row better`),
          sample(WORSE, -limit * 0.7, `${down} row worse (${table.rule})`),
        );
      if (table.codes.includes(UNDECIDED))
        items.push(sample(UNDECIDED, limit * 0.6, "pale, no mark: cannot tell"));
      if (table.codes.includes(EQUIVALENT)) items.push(sample(EQUIVALENT, 0, "= equivalent"));
      if (table.codes.includes(NOT_COMPARABLE))
        items.push(sample(NOT_COMPARABLE, 0, "hatched: not comparable"));
      return {
        caption: `Row minus column: ${quantity}${sign < 0 ? " (lower is better)" : ""}`,
        low: (table.clipped ? "≤ " : "") + fixed(-limit, decimals, true),
        high: (table.clipped ? "≥ " : "") + end,
        scale: (t) => shadeOf(sign * (t - 0.5) < 0 ? WORSE : BETTER, (2 * t - 1) * limit).fill,
        items,
      };
    },
  };
}

/** Items against systems: the shade is the score, which has no verdict. */
function scoresPainter(table, theme) {
  const { get, low, high, decimals, quantity } = table;
  const shades = ramp(theme.ground, theme.text, theme.dark ? 0.1 : 0.05, theme.dark ? 0.6 : 0.55);
  const shadeOf = (value) => {
    const share = high > low ? (value - low) / (high - low) : 1;
    return shades[Math.round(LEVELS * Math.min(1, Math.max(0, share)))];
  };
  const paintScore = (ctx, value, x, y, width, height, pattern) => {
    ctx.fillStyle = Number.isNaN(value) ? pattern : shadeOf(value).fill;
    ctx.fillRect(x, y, width, height);
  };
  return {
    cell(ctx, i, j, x, y, side, inner, pattern, height) {
      paintScore(ctx, get.score(i, j), x, y, inner, height, pattern);
    },
    tip(i, j) {
      const [value, n] = [get.score(i, j), get.n_items(i, j)];
      const lines = [];
      const mean = table.per_row > 1 ? `mean ${quantity}` : quantity;
      if (Number.isNaN(value)) lines.push("No score.");
      else lines.push(`${mean}: ${fixed(value, decimals, false)}`);
      if (table.per_row > 1) lines.push(`${counted(n, "item")} scored in this band`);
      const row = table.per_row > 1 ? `Items ${table.rows[i]}` : table.rows[i];
      return { head: [row, table.columns[j]], lines };
    },
    legend() {
      const items = [];
      if (table.missing)
        items.push({
          text: "hatched: no score",
          paint: (ctx, side, pattern) => paintScore(ctx, NaN, 0, 0, side, side, pattern),
        });
      return {
        caption: table.caption,
        low: fixed(low, decimals, false),
        high: fixed(high, decimals, false),
        scale: (t) => shadeOf(low + t * (high - low)).fill,
        items,
      };
    },
  };
}

const PAINTERS = { significance: significancePainter, scores: scoresPainter };
