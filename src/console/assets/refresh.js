// Brings the page up to date without losing the place: fetches it again and takes over its content.

const EVERY_MS = 15_000;
/** More changes than this are only counted when they are read out. */
const MOST_TOLD = 3;

const main = document.getElementById('main');

/** Says something, to the eye and to a screen reader. */
export function say(text) {
  const toast = document.getElementById('toast');
  toast.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => {
    toast.textContent = '';
  }, 8000);
}

const KEPT = 'console:said';

/** Says it on the page that is led to next. */
export function sayThere(text) {
  sessionStorage.setItem(KEPT, text);
}

const kept = sessionStorage.getItem(KEPT);
sessionStorage.removeItem(KEPT);
if (kept !== null) say(kept);

let latest = 0;

/**
 * Fetches this page again and shows it; focus and scroll positions stay where they are. False where that failed, where a later
 * call has begun meanwhile, and where `mayShow` says no once the answer is there.
 */
export async function refresh(mayShow = () => true) {
  latest += 1;
  const own = latest;
  const response = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null);
  const text = await response?.text().catch(() => undefined);
  if (own !== latest || !mayShow()) return false;
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

/** Leads to the sign-in page and back here. */
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

/** Answers how to put the focus where it is now: by id, else on the first, second … of those that look alike. */
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
 * Whether the page can be changed under the eyes of whoever sees it: nothing is open, sent, filled in, or refused and still to be
 * read. What a closed dialog has in it does not matter: it is made empty when it is opened.
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
  if (await refresh(isIdle)) tell(before);
}

function cellStates() {
  return new Map([...main.querySelectorAll('[data-cell]')].map((cell) => [cell.id, cell.dataset.state]));
}

/** Says which slots have changed; nothing where none has. */
function tell(before) {
  const changed = [...main.querySelectorAll('[data-cell]')].filter(
    (cell) => before.has(cell.id) && before.get(cell.id) !== cell.dataset.state,
  );
  if (changed.length === 0) return;
  const told = changed.map((cell) => `${cell.dataset.cell}: ${cell.querySelector('.state')?.textContent}`);
  say(changed.length > MOST_TOLD ? `${changed.length} slots have changed.` : `${told.join('. ')}.`);
}

setInterval(() => void refreshIfIdle(), EVERY_MS);
document.addEventListener('visibilitychange', () => void refreshIfIdle());
document.addEventListener('console:stale', () => void refreshIfIdle());
