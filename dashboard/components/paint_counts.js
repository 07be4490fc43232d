// Directed counts: on how many datasets the row is better than the column, at least.

const [NOTHING, NONE, ROW_BETTER, COLUMN_BETTER, BOTH] = [0, 1, 2, 3, 4];

/** Below this side a count has no room; above the other one it has room beside a mark. */
const [ROOM_FOR_COUNT, ROOM_FOR_BOTH] = [19, 32];

function countsPainter(table, theme) {
  const { get, limit, quantity, decimals, estimators, tiles } = table;
  const shades = {
    up: ramp(theme.ground, theme.better, theme.dark ? 0.34 : 0.2, 1),
    down: ramp(theme.ground, theme.worse, theme.dark ? 0.34 : 0.2, 1),
    even: ramp(theme.ground, theme.unclear, 0.42, 0.42),
    none: ramp(theme.ground, theme.unclear, 0.1, 0.1),
  };
  const ours = (i, j) => get.k(i, j);
  const kindOf = (i, j) => {
    if (get.n_shared(i, j) === 0) return NOTHING;
    const [row, column] = [ours(i, j), ours(j, i)];
    if (row && column) return BOTH;
    return row ? ROW_BETTER : column ? COLUMN_BETTER : NONE;
  };
  const shadeOf = (kind, net) => {
    if (kind === NONE) return shades.none[0];
    if (net === 0) return shades.even[0];
    const level = Math.round(LEVELS * Math.min(1, Math.abs(net) / limit));
    return shades[net > 0 ? "up" : "down"][level];
  };
  const dark = theme.dark ? "#0b0d10" : "#11151a";
  const light = css(theme.dark ? theme.text : [255, 255, 255]);
  const marks = (ctx, kind, x, y, side, middle, small) => {
    if (kind === ROW_BETTER || kind === COLUMN_BETTER) {
      verdictMark(ctx, kind === ROW_BETTER ? BETTER : WORSE, x, y, side, middle, small);
    } else if (kind === BOTH && (small ?? side < SMALL)) {
      verdictMark(ctx, BETTER, x, y, side, middle, true);
      verdictMark(ctx, WORSE, x, y, side, middle, true);
    } else if (kind === BOTH) {
      const apart = Math.min(5, Math.max(2.5, side * 0.17)) * 1.1;
      verdictMark(ctx, BETTER, x - apart, y, side, middle, false);
      verdictMark(ctx, WORSE, x + apart, y, side, middle, false);
    }
  };
  const paintCount = (ctx, kind, k, net, x, y, side, inner, pattern, small) => {
    if (kind === NOTHING) {
      ctx.fillStyle = pattern;
      ctx.fillRect(x, y, inner, inner);
      return;
    }
    const shade = shadeOf(kind, net);
    ctx.fillStyle = shade.fill;
    ctx.fillRect(x, y, inner, inner);
    if (kind === NONE) return;
    ctx.fillStyle = shade.dark ? light : dark;
    const printed = small === undefined && k > 0 && side >= ROOM_FOR_COUNT;
    const both = printed && side >= ROOM_FOR_BOTH;
    if (printed) ctx.fillText(String(k), x + inner / 2, y + inner * (both ? 0.68 : 0.5) + 0.5);
    if (!printed || both) marks(ctx, kind, x, y, side, both ? side * 0.3 : undefined, small);
  };
  const how = (i, j) => {
    const name = estimators[get.estimator(i, j)];
    return name ? ` (${name})` : "";
  };
  return {
    cell(ctx, i, j, x, y, side, inner, pattern) {
      if (i === j) return;
      paintCount(ctx, kindOf(i, j), ours(i, j), ours(i, j) - ours(j, i), x, y, side, inner, pattern);
    },
    tip(i, j) {
      const [row, column] = [table.rows[i], table.columns[j]];
      if (i === j) return { head: [row], lines: ["The same system."] };
      const n = get.n_shared(i, j);
      const head = [row, `against ${column}`];
      if (n === 0) return { head, lines: ["// No dataset on which both can be tested."] };
      const kind = kindOf(i, j);
      const of = counted(n, "dataset");
      const lines = [];
      if (kind === NONE) lines.push(`? Neither is better on any of ${of}${how(i, j)}.`);
      else {
        lines.push(`▲ ${row} better than ${column} on at least ${ours(i, j)} of ${of}${how(i, j)}.`);
        lines.push(`▼ ${column} better on at least ${ours(j, i)}.`);
      }
      const difference = get.difference(i, j);
      if (Number.isFinite(difference))
        lines.push(`Mean difference in ${quantity}: ${fixed(difference, decimals, true)}`);
      if (n < table.n_datasets) lines.push(`${table.n_datasets - n} of ${table.n_datasets} datasets not shared.`);
      if (tiles && !tiles.has(i)) lines.push("More numbers are coming …");
      else if (tiles?.isLost(i)) lines.push("For more numbers load the page anew.");
      return { head, lines };
    },
    legend(small) {
      const sample = (kind, net, text) => ({
        text,
        paint: (ctx, side, pattern) =>
          paintCount(ctx, kind, 0, net, 0, 0, side, side, pattern, small),
      });
      const items = [];
      const has = (kind) => table.kinds.includes(kind);
      const [up, down] = small ? ["line above:", "line below:"] : ["▲", "▼"];
      if (has(ROW_BETTER)) items.push(sample(ROW_BETTER, limit * 0.6, `${up} row better`));
      if (has(COLUMN_BETTER)) items.push(sample(COLUMN_BETTER, -limit * 0.6, `${down} column better`));
      if (has(BOTH)) items.push(sample(BOTH, 0, "each better on some"));
      if (has(NONE)) items.push(sample(NONE, 0, "pale: cannot tell on any"));
      if (has(NOTHING)) items.push(sample(NOTHING, 0, "hatched: nothing to test"));
      return {
        caption: "Number: datasets on which the row is better, at least. Shade: row minus column",
        low: fixed(-limit, 0, true),
        high: fixed(limit, 0, true),
        scale: (t) => shadeOf(ROW_BETTER, Math.round((2 * t - 1) * limit * 4) / 4).fill,
        items,
      };
    },
  };
}

PAINTERS.counts = countsPainter;
