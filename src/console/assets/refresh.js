// Refreshes the page: fetches it again and replaces the content. Focus and scroll positions stay.

const EVERY_MS = 15_000;
/** If more slots changed, only their number is announced. */
const MAX_ANNOUNCED = 3;

const main = document.getElementById('main');

/** Shows a message that screen readers announce. */
export function say(text) {
  const toast = document.getElementById('toast');
  toast.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => {
    toast.textContent = '';
  }, 8000);
}

const MESSAGE_KEY = 'console:said';

/** Shows a message on the next page. */
export function sayOnNextPage(text) {
  sessionStorage.setItem(MESSAGE_KEY, text);
}

const storedMessage = sessionStorage.getItem(MESSAGE_KEY);
sessionStorage.removeItem(MESSAGE_KEY);
if (storedMessage !== null) say(storedMessage);

let latestCall = 0;

/**
 * Fetches this page again and shows it; focus and scroll positions stay. False if that failed, if a later call has
 * begun meanwhile, or if `mayShow` returns false once the response is there.
 */
export async function refresh(mayShow = () => true) {
  latestCall += 1;
  const thisCall = latestCall;
  const response = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null);
  const text = await response?.text().catch(() => undefined);
  if (thisCall !== latestCall || !mayShow()) return false;
  if (response !== null && new URL(response.url).pathname === '/sign-in') {
    signInAgain();
    return false;
  }
  const isPage = response?.headers.get('content-type')?.startsWith('text/html') === true;
  if (!isPage || response.status >= 500 || text === undefined) {
    say('The page could not be refreshed.');
    return false;
  }
  show(new DOMParser().parseFromString(text, 'text/html'));
  return true;
}

/** Opens the sign-in page, which returns to this page. */
export function signInAgain() {
  location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
}

function show(page) {
  const refocus = keptFocus();
  const scrolled = [...main.querySelectorAll('[data-keep-scroll]')].map((part) => [
    part.id,
    part.scrollLeft,
    part.scrollTop,
  ]);
  const [left, top] = [scrollX, scrollY];
  main.replaceChildren(...page.getElementById('main').childNodes);
  document.title = page.title;
  for (const [id, x, y] of scrolled) document.getElementById(id)?.scrollTo(x, y);
  scrollTo(left, top);
  refocus();
  document.dispatchEvent(new Event('console:shown'));
}

const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex]';

/** Returns a function that restores the focus: by id, else by position among elements that look alike. */
function keptFocus() {
  const focused = document.activeElement;
  if (!main.contains(focused)) return () => {};
  const likeness = (element) =>
    [element.tagName, element.getAttribute('href'), element.ariaLabel, element.textContent].join('|');
  const wanted = likeness(focused);
  const alike = () => [...main.querySelectorAll(FOCUSABLE)].filter((element) => likeness(element) === wanted);
  const place = alike().indexOf(focused);
  return () => {
    const found = focused.id === '' ? alike()[place] : document.getElementById(focused.id);
    (found ?? main).focus({ preventScroll: true });
  };
}

const BUSY = [
  ...['dialog[open]', 'main details[open]:not(dialog *)', 'form[aria-busy=true]'],
  ...['main input:focus', 'main select:focus', 'main textarea:focus'],
].join(', ');
const FAULTS = '.form-error:not(:empty), .field-error';

/**
 * Whether a refresh does not disturb the operator: nothing is open, being sent or filled in, and no error is shown.
 * Closed dialogs do not matter, because opening a dialog empties it.
 */
function isIdle() {
  if (document.querySelector(BUSY) !== null) return false;
  const isSeen = (element) => element.closest('dialog') === null;
  if ([...main.querySelectorAll(FAULTS)].some(isSeen)) return false;
  return ![...main.querySelectorAll('input, select, textarea')].some(
    (control) => isSeen(control) && isChanged(control),
  );
}

function isChanged(control) {
  if (control.type === 'checkbox' || control.type === 'radio') return control.checked !== control.defaultChecked;
  if (control.options === undefined) return control.value !== control.defaultValue;
  const first = [...control.options].findIndex((option) => option.defaultSelected);
  return control.selectedIndex !== Math.max(first, 0);
}

async function refreshIfIdle() {
  if (!('live' in main.dataset) || document.visibilityState !== 'visible' || !isIdle()) return;
  const before = cellStates();
  if (await refresh(isIdle)) announceChanges(before);
}

function cellStates() {
  return new Map([...main.querySelectorAll('[data-cell]')].map((cell) => [cell.id, cell.dataset.state]));
}

/** Announces the slots that have changed. */
function announceChanges(before) {
  const changed = [...main.querySelectorAll('[data-cell]')].filter(
    (cell) => before.has(cell.id) && before.get(cell.id) !== cell.dataset.state,
  );
  if (changed.length === 0) return;
  const texts = changed.map((cell) => `${cell.dataset.cell}: ${cell.querySelector('.state')?.textContent}`);
  say(changed.length > MAX_ANNOUNCED ? `${changed.length} slots have changed.` : `${texts.join('. ')}.`);
}

setInterval(() => void refreshIfIdle(), EVERY_MS);
document.addEventListener('visibilitychange', () => void refreshIfIdle());
document.addEventListener('console:stale', () => void refreshIfIdle());
