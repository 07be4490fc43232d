// Metrics against datasets: the shade is how closely a metric follows the judgments there, a mark how it
// stands to the reference metric. A number has the ink of text, so the shade stays pale.

const [UNKNOWN, ALIKE, ABOVE, BELOW, REFERENCE] = [0, 1, 2, 3, 4];
const [ROOM_FOR_VALUE, ROOM_FOR_LINES, ROOM_FOR_TEXT] = [34, 30, 11];

function correlationsPainter(table, theme) {
  const { get, low, high, decimals, quantity, reference } = table;
  const shades = ramp(theme.ground, theme.text, 0.04, theme.dark ? 0.3 : 0.26);
  const shadeOf = (value) => {
    const share = high > low ? (value - low) / (high - low) : 1;
    return shades[Math.round(LEVELS * Math.min(1, Math.max(0, share)))].fill;
  };
  const hueOf = (code) => css(code === ABOVE ? theme.better : theme.worse);
  const paintCell = (ctx, code, value, text, x, y, side, inner, height, pattern, small) => {
    const missing = Number.isNaN(value);
    ctx.fillStyle = missing ? pattern : shadeOf(value);
    ctx.fillRect(x, y, inner, height);
    if (missing) return;
    const marked = code === ABOVE || code === BELOW;
    const both = text && marked && height >= ROOM_FOR_LINES;
    if (text) {
      ctx.fillStyle = css(theme.text);
      ctx.fillText(text, x + inner / 2, y + height * (both ? 0.7 : 0.5) + 0.5);
    }
    if (!marked) return;
    ctx.fillStyle = hueOf(code);
    const mark = code === ABOVE ? BETTER : WORSE;
    if (text && !both) ctx.fillRect(x, code === ABOVE ? y : y + height - 3, inner, 3);
    else {
      const room = Math.min(side, height + 1);
      verdictMark(ctx, mark, x + (inner - room) / 2, y, room, both ? height * 0.3 : undefined, small);
    }
  };
  const words = {
    [ALIKE]: () => `? The data cannot tell it from ${reference}.`,
    [ABOVE]: () => `▲ Follows the judgments better than ${reference}.`,
    [BELOW]: () => `▼ Follows the judgments less well than ${reference}.`,
    [REFERENCE]: () => "◆ The reference.",
  };
  return {
    cell(ctx, i, j, x, y, side, inner, pattern, height) {
      if (table.among && i === j) return;
      const value = get.value(i, j);
      const room = side >= ROOM_FOR_VALUE && height >= ROOM_FOR_TEXT;
      const text = room ? fixed(value, decimals, false) : "";
      paintCell(ctx, get.standing(i, j), value, text, x, y, side, inner, height, pattern);
    },
    tip(i, j) {
      if (table.among && i === j) return { head: [table.rows[i]], lines: [] };
      const head = [table.rows[i], table.columns[j]];
      const value = get.value(i, j);
      if (Number.isNaN(value)) return { head, lines: ["None: nothing in common, or all alike."] };
      const lines = [`${quantity}: ${fixed(value, decimals, false)}`];
      const [from, to] = [get.low(i, j), get.high(i, j)];
      if (Number.isFinite(from) && Number.isFinite(to))
        lines.push(`${table.level} interval: ${fixed(from, decimals, false)} to ${fixed(to, decimals, false)}`);
      const told = words[get.standing(i, j)];
      return { head, lines: told ? [...lines, told()] : lines };
    },
    legend(small, [across, down]) {
      // Beside a number there may be room for a line only.
      const lined = small || (across >= ROOM_FOR_VALUE && down - 1 < ROOM_FOR_LINES);
      const sample = (code, value, text) => ({
        text,
        paint: (ctx, side, pattern) =>
          paintCell(ctx, code, value, "", 0, 0, side, side, side, pattern, lined || undefined),
      });
      const [up, below] = lined ? ["line above:", "line below:"] : ["▲", "▼"];
      const items = [];
      const has = (code) => table.codes.includes(code);
      if (has(ABOVE)) items.push(sample(ABOVE, low, `${up} better than ${reference}`));
      if (has(BELOW)) items.push(sample(BELOW, low, `${below} worse than ${reference}`));
      if (has(ALIKE)) items.push(sample(ALIKE, low, "no mark: cannot tell"));
      if (table.missing) items.push(sample(UNKNOWN, NaN, "hatched: none"));
      return {
        caption: table.caption,
        low: (table.clipped ? "≤ " : "") + fixed(low, decimals, false),
        high: fixed(high, decimals, false),
        scale: (t) => shadeOf(low + t * (high - low)),
        items,
      };
    },
  };
}

PAINTERS.correlations = correlationsPainter;
