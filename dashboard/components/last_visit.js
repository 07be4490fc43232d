// When somebody looked last: kept in this browser, handed back to the page.

const AWAY = 30 * 60 * 1000; // a break as long as this ends a visit

function kept(name) {
  try {
    const found = JSON.parse(window.localStorage.getItem(name)) ?? {};
    const moment = (value) => (Number.isFinite(value) ? value : null);
    return { before: moment(found.before), latest: moment(found.latest) };
  } catch {
    return { before: null, latest: null }; // no storage, or something else in its place
  }
}

function keep(name, visits) {
  try {
    window.localStorage.setItem(name, JSON.stringify(visits));
  } catch {
    // A browser that keeps nothing has no last visit.
  }
}

export default function ({ data, setStateValue }) {
  if (!data?.name) return;
  const now = Date.now();
  let { before, latest } = kept(data.name);
  if (latest !== null && now - latest > AWAY) before = latest;
  keep(data.name, { before, latest: now });
  const told = before === null ? "first" : new Date(before).toISOString();
  if (data.told !== told) setStateValue("visit", told);
}
