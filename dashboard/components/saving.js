// The picture as a file: the whole matrix, whatever part of it is scrolled into view.

/** Rows or columns up to which a matrix is offered as SVG: a cell is an element there. */
const MOST_SVG = 100;

Object.assign(MatrixView.prototype, {
  save(kind) {
    if (this.table.tiles && this.cell[0] >= 46 && !this.table.tiles.isWhole) {
      this.table.tiles.all().then(() => this.save(kind));
      return;
    }
    const legend = this.painter.legend(this.cell[0] < SMALL, this.cell);
    const [w, h] = this.whole;
    const head = 26 + 22 * (legend.items.length ? 2 : 1);
    const { theme, table } = this;
    const width = Math.max(w + 12, legendOnto(this.finger, legend, theme, 1, table.title)) + 12;
    const height = h + head + 24;
    this.point(); // the legend was measured on the upper canvas
    if (kind === "svg") {
      const pen = new SvgPen(width, height, this.finger);
      pen.fillStyle = css(theme.ground);
      pen.fillRect(0, 0, width, height);
      legendOnto(pen, legend, theme, 1, table.title);
      pen.save();
      pen.translate(12, head + 12);
      this.paint(pen, [0, 0, w, h], 1);
      pen.restore();
      handOver(new Blob([String(pen)], { type: "image/svg+xml" }), `${table.file}.svg`);
      this.point();
      return;
    }
    const scale = Math.min(2, 12000 / Math.max(width, height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const picture = document.createElement("canvas");
    picture.width = Math.round(w * scale);
    picture.height = Math.round(h * scale);
    this.paint(picture.getContext("2d"), [0, 0, w, h], scale);
    const ctx = canvas.getContext("2d");
    ctx.fillStyle = css(theme.ground);
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.drawImage(picture, Math.round(12 * scale), Math.round((head + 12) * scale));
    ctx.setTransform(scale, 0, 0, scale, 0, 0);
    legendOnto(ctx, legend, theme, scale, table.title);
    canvas.toBlob((blob) => handOver(blob, `${table.file}.png`));
  },
});

function handOver(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function scaleBar(ctx, legend, width, height) {
  for (let k = 0; k < width; k++) {
    ctx.fillStyle = legend.scale((k + 0.5) / width);
    ctx.fillRect(k, 0, 1, height);
  }
}

/** Draw title, scale and key above a saved picture; return where they end on the right. */
function legendOnto(ctx, legend, theme, ratio, title) {
  ctx.fillStyle = css(theme.text);
  ctx.textBaseline = "middle";
  ctx.font = `600 13px ${theme.font}`;
  ctx.fillText(title, 12, 16);
  ctx.font = `12px ${theme.font}`;
  let x = 12;
  let line = 0;
  const write = (text, gap) => {
    ctx.fillStyle = css(theme.labels);
    ctx.fillText(text, x, 40 + line);
    x += ctx.measureText(text).width + gap;
  };
  write(legend.caption, 18);
  write(legend.low, 6);
  ctx.save();
  ctx.translate(x, 34);
  scaleBar(ctx, legend, 120, 12);
  ctx.restore();
  x += 126;
  write(legend.high, 0);
  const right = Math.max(x, 12 + ctx.measureText(title).width);
  [x, line] = [12, 22];
  for (const item of legend.items) {
    ctx.save();
    ctx.translate(x, 55);
    item.paint(ctx, 14, hatch(ctx, theme, ratio, 5, [0, 0]));
    ctx.restore();
    x += 20;
    write(item.text, 18);
  }
  return Math.max(right, x);
}
