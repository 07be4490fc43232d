// The browser's side of the address. A link is one entry in the history and no load of the page; a
// component asks with an event, `step` (an entry) or `tune` (none). What Streamlit writes makes an
// entry only where a parameter that is a step gets another value.
//
// Where a person went last wins. Runs from before may still write their own address, and a widget may
// still ask for the page that was left: neither leads back. No run leads to another place by itself.

const known = { places: [], moved: [], steps: [] };
const MOST_TRIES = 2; // of telling the server again where the person went

let wanted; // where the person went, until the server draws that
let good; // the last address of which the server drew the place
let tries = 0;
let isOverwritten = false; // Streamlit believes in an address that was not written

/** Streamlit's own listener reads path and query and runs the script, in this session. */
const tell = () => window.dispatchEvent(new PopStateEvent("popstate", { state: {} }));

/** A run for the history drops what a widget asks for in a run before it: wait for quiet. */
function tellSoon() {
  waiting = setTimeout(() => {
    const state = document.querySelector("[data-testid=stApp]")?.dataset.testScriptState;
    if (state === undefined || state === "notRunning") tell();
    else tellSoon();
  }, 300);
}

let waiting;

function move(href, replaces, soon = false) {
  const url = new URL(href, window.location.href);
  clearTimeout(waiting);
  if (url.href !== window.location.href)
    (replaces ? replace : push).call(window.history, {}, "", url);
  else if (!replaces) return;
  tries = 0;
  if (soon) tellSoon();
  else tell();
}

const placeOf = (url) => url.pathname.slice(new URL(".", window.location.href).pathname.length);

/** The place of an address and what it asks, the same for every order of its parameters. */
function spotOf(href) {
  const url = new URL(href, window.location.href);
  const asked = new URLSearchParams(url.search);
  for (const name of ["embed", "embed_options"]) asked.delete(name); // Streamlit hides them
  asked.sort();
  return `${placeOf(url)}?${asked}`;
}

/** A run has begun at this address; where the person went elsewhere, ask for that again. */
function begun(at) {
  const isLeft = placeOf(new URL(at, window.location.href)) !== placeOf(window.location);
  const isThere = !isLeft && (wanted === undefined || spotOf(at) === wanted);
  if (isThere) good = window.location.href;
  else if (isLeft && wanted === undefined && good) replace.call(window.history, {}, "", good);
  if (tries < MOST_TRIES && (!isThere || isOverwritten)) {
    tries += 1;
    clearTimeout(waiting);
    waiting = setTimeout(tell); // what a widget asked for has been done when a run begins
  } else wanted = undefined;
  isOverwritten = false;
}

/** The address of the link under a plain click, if it is one of ours. */
function stepOf(event) {
  if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement && node.href);
  if (!link || link.hasAttribute("download")) return;
  const url = new URL(link.href);
  const base = new URL(".", window.location.href);
  if (url.origin !== base.origin || !url.pathname.startsWith(base.pathname)) return;
  return [...known.places, ...known.moved].includes(placeOf(url)) ? url.href : undefined;
}

const listeners = {
  click(event) {
    const to = stepOf(event);
    if (!to) return;
    event.preventDefault();
    event.stopImmediatePropagation(); // Streamlit would make an entry of its own
    move(to, false);
  },
  keydown(event) {
    const typed = event.composedPath()[0];
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (typed.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(typed.tagName)) return;
    const field = document.querySelector("[data-testid=stSidebar] input");
    if (!field) return;
    event.preventDefault();
    field.focus();
  },
  step: (event) => move(event.detail.href, false),
  tune: (event) => move(event.detail.href, true, event.detail.soon),
  popstate(event) { // our own, or the browser's for Back; before Streamlit hears of it
    if (event.isTrusted) tries = 0;
    if (!window.location.hash) wanted = spotOf(window.location.href);
  },
};

// Streamlit may load this module again: what the one before has put up must go.
const before = window.tiebreakAddress;
before?.listeners.forEach(([kind, listen]) => window.removeEventListener(kind, listen, true));
const push = before?.push ?? window.history.pushState;
const replace = before?.replace ?? window.history.replaceState;
window.tiebreakAddress = { push, replace, listeners: Object.entries(listeners) };
Object.entries(listeners).forEach(([kind, listen]) => window.addEventListener(kind, listen, true));

/** Whether a run from before writes this address, and not one where the person is now. */
function isOfBefore(href) {
  const isElsewhere = placeOf(new URL(href ?? "", window.location)) !== placeOf(window.location);
  const isOld = wanted !== undefined && spotOf(href ?? "") !== wanted;
  isOverwritten ||= isOld && !isElsewhere;
  return isElsewhere || isOld;
}

window.history.pushState = function (state, title, href) {
  if (isOfBefore(href)) return;
  const [now, next] = [window.location.href, href ?? ""].map((x) => new URL(x, window.location));
  const isStep = (name) => next.searchParams.has(name) &&
    String(next.searchParams.getAll(name)) !== String(now.searchParams.getAll(name));
  (known.steps.some(isStep) ? push : replace).call(this, state, title, href);
};
window.history.replaceState = function (state, title, href) {
  if (!isOfBefore(href)) replace.call(this, state, title, href);
};

export default function ({ data }) {
  if (data.to === undefined) {
    Object.assign(known, data);
    begun(data.at);
  } else if (data.to !== data.from && spotOf(data.from) === spotOf(window.location.href))
    move(data.to, true, true);
}
