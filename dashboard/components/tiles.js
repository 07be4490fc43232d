// Numbers of large matrices: they lie on the server in tiles of some rows and come on demand.

const BANDS = [BETTER, WORSE, UNDECIDED, UNDECIDED];

/** Mark, and a difference of the right side and shade, of a code of the picture. */
function lookOf(code, limit, sign) {
  if (code < 3) return [[NOT_COMPARABLE, EQUIVALENT, UNDECIDED][code], 0];
  const [band, level] = [Math.floor((code - 3) / (LEVELS + 1)), (code - 3) % (LEVELS + 1)];
  return [BANDS[band], ((band % 2 ? -sign : sign) * limit * level) / LEVELS];
}

/** The code of the pair the other way round. */
function turned(code) {
  if (code < 3) return code;
  const band = Math.floor((code - 3) / (LEVELS + 1));
  return code + (band % 2 ? -1 : 1) * (LEVELS + 1);
}

class Tiles {
  /** `arrived` is called when numbers have come that somebody asked for. */
  constructor({ rows, urls, type, planes, same }, columns) {
    Object.assign(this, { rows, urls, planes, same, columns, arrived: () => {} });
    this.Kind = READERS[type];
    this.loaded = new Map();
  }

  /** What there is of each pair. */
  get names() {
    return [...Object.keys(this.same), ...this.planes];
  }

  /** Whether the numbers of a row are here; if not, they are on their way. */
  has(row) {
    const at = Math.floor(row / this.rows);
    if (!this.urls.length) return true;
    if (!this.loaded.has(at)) this.load(at);
    return !(this.loaded.get(at) instanceof Promise);
  }

  load(at) {
    const base = (window.__streamlit?.BACKEND_BASE_URL ?? window.location.origin).replace(/\/$/, "");
    const coming = fetch(base + this.urls[at], { credentials: "same-origin" })
      .then((answer) => (answer.ok ? answer.arrayBuffer() : null))
      .catch(() => null)
      .then((bytes) => {
        this.loaded.set(at, bytes && new this.Kind(bytes)); // null: they are there no more
        this.arrived();
      });
    this.loaded.set(at, coming);
  }

  /** A number of a pair; NaN where it is not here. */
  value(name, i, j) {
    if (name in this.same) return this.same[name];
    const [at, k] = [Math.floor(i / this.rows), this.planes.indexOf(name)];
    const numbers = this.loaded.get(at);
    if (!numbers || numbers instanceof Promise) return NaN;
    return numbers[((i % this.rows) * this.planes.length + k) * this.columns + j];
  }

  /** Whether the rows of a loaded tile could not be had. */
  isLost(row) {
    return this.loaded.get(Math.floor(row / this.rows)) === null;
  }

  /** Whether nothing is to be fetched any more. */
  get isWhole() {
    const here = [...this.loaded.values()].filter((one) => !(one instanceof Promise));
    return here.length === this.urls.length;
  }

  /** Fetch all that is not here yet. */
  all() {
    this.urls.forEach((_, at) => this.has(at * this.rows));
    return Promise.all(this.loaded.values());
  }
}
