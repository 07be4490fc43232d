// Shares of datasets on which the row scores higher; half means that neither does more often.

const ROOM_FOR_PERCENT = 24;

/** Shares come as whole steps, 1 / this each; see `shares.py`. */
const STEPS = 65_520;
const NO_SHARE = 65_535;

const restOf = (steps) => (steps === NO_SHARE ? NO_SHARE : STEPS - steps);
const shareOf = (steps) => (steps === NO_SHARE ? NaN : steps / STEPS);

function sharesPainter(table, theme) {
  const { level } = table;
  const get = { n_shared: table.get.n_shared };
  for (const name of ["share", "low", "high"])
    get[name] = (i, j) => shareOf(table.get[name](i, j));
  const pale = (hue) => mix(hue, theme.unclear, 0.35);
  const shades = {
    [BETTER]: ramp(theme.ground, theme.better, theme.dark ? 0.4 : 0.28, 1),
    [WORSE]: ramp(theme.ground, theme.worse, theme.dark ? 0.4 : 0.28, 1),
    up: ramp(theme.ground, pale(theme.better), 0.06, 0.3),
    down: ramp(theme.ground, pale(theme.worse), 0.06, 0.3),
  };
  const codeOf = (i, j) => {
    if (!(get.n_shared(i, j) > 0) || Number.isNaN(get.share(i, j))) return NOT_COMPARABLE;
    return get.low(i, j) > 0.5 ? BETTER : get.high(i, j) < 0.5 ? WORSE : UNDECIDED;
  };
  const shadeOf = (code, share) => {
    const strength = Math.round(LEVELS * Math.min(1, Math.abs(2 * share - 1))) || 0;
    return shades[code === UNDECIDED ? (share < 0.5 ? "down" : "up") : code][strength];
  };
  const light = css(theme.dark ? theme.text : [255, 255, 255]);
  const dark = theme.dark ? "#0b0d10" : "#11151a";
  const percent = (share) => `${fixed(100 * share, 0, false)} %`;
  const paintShare = (ctx, code, share, x, y, side, inner, pattern, small) => {
    ctx.fillStyle = code === NOT_COMPARABLE ? pattern : shadeOf(code, share).fill;
    ctx.fillRect(x, y, inner, inner);
    if (code === NOT_COMPARABLE) return;
    ctx.fillStyle = shadeOf(code, share).dark ? light : dark;
    const marked = code !== UNDECIDED;
    const printed = small === undefined && side >= ROOM_FOR_PERCENT;
    if (printed) ctx.fillText(fixed(100 * share, 0, false), x + inner / 2, y + inner * (marked ? 0.7 : 0.5) + 0.5);
    if (marked) verdictMark(ctx, code, x, y, side, printed ? side * 0.29 : undefined, small);
  };
  return {
    cell(ctx, i, j, x, y, side, inner, pattern) {
      if (i !== j) paintShare(ctx, codeOf(i, j), get.share(i, j), x, y, side, inner, pattern);
    },
    tip(i, j) {
      const [row, column] = [table.rows[i], table.columns[j]];
      if (i === j) return { head: [row], lines: ["The same system."] };
      const head = [row, `against ${column}`];
      const [low, high, n] = [get.low(i, j), get.high(i, j), get.n_shared(i, j)];
      if (codeOf(i, j) === NOT_COMPARABLE) return { head, lines: ["// No dataset has both."] };
      const lines = [
        `${row} scores better than ${column} on ${percent(get.share(i, j))} of ` +
          `${counted(n, "dataset")}, ties counted by half.`,
      ];
      if (Number.isFinite(low)) lines.push(`${level} interval: ${percent(low)} to ${percent(high)}`);
      return { head, lines };
    },
    legend(small) {
      const sample = (code, share, text) => ({
        text,
        paint: (ctx, side, pattern) => paintShare(ctx, code, share, 0, 0, side, side, pattern, small),
      });
      const items = [];
      const [up, down] = small ? ["line above:", "line below:"] : ["▲", "▼"];
      if (table.codes.includes(BETTER)) items.push(sample(BETTER, 0.8, `${up} interval above 50 %`));
      if (table.codes.includes(WORSE)) items.push(sample(WORSE, 0.2, `${down} interval below 50 %`));
      if (table.codes.includes(UNDECIDED)) items.push(sample(UNDECIDED, 0.7, table.intervals ? "pale, no mark: cannot tell" : "pale: no interval"));
      if (table.codes.includes(NOT_COMPARABLE)) items.push(sample(NOT_COMPARABLE, 0, "hatched: no shared dataset"));
      return {
        caption: "Percent of datasets on which the row scores better",
        low: "0 %",
        high: "100 %",
        scale: (t) => shadeOf(!table.intervals ? UNDECIDED : t < 0.5 ? WORSE : BETTER, t).fill,
        items,
      };
    },
  };
}

PAINTERS.shares = sharesPainter;
