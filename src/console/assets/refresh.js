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

/** Fetches this page again and shows it; focus and scroll positions stay where they are. False where that failed. */
export async function refresh() {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null);
  if (response !== null && new URL(response.url).pathname === '/sign-in') {
    signInAgain();
    return false;
  }
  const isPage = response?.headers.get('content-type')?.startsWith('text/html') === true;
  if (!isPage || response.status >= 500) {
    say('The page could not be brought up to date.');
    return false;
  }
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  show(page);
  return true;
}

/** Leads to the sign-in page and back here. */
export function signInAgain() {
  location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
}

function show(page) {
  const focused = main.contains(document.activeElement) ? document.activeElement.id : undefined;
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
  if (focused !== undefined) (document.getElementById(focused) ?? main).focus({ preventScroll: true });
  document.dispatchEvent(new Event('console:shown'));
}

/** Whether the page can be changed under the eyes of whoever sees it: nothing is open, nothing is being filled in. */
export function isIdle() {
  const isFillingIn = main.querySelector('input:focus, select:focus, textarea:focus') !== null;
  return !isFillingIn && document.querySelector('dialog[open], main details[open]') === null;
}

async function refreshIfIdle() {
  if (!('live' in main.dataset) || document.visibilityState !== 'visible' || !isIdle()) return;
  const before = cellStates();
  if (await refresh()) tell(before);
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
