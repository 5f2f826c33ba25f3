// The day's grid: Tab stops at one slot, arrow keys move between slots, and holds count down.

let focusedId = '';

function slots() {
  return [...document.querySelectorAll('.grid a.slot, .grid button.slot')];
}

/** Lets the Tab key reach one slot: the last focused, else the first current one, else the first. */
function arrange() {
  const all = slots();
  const chosen =
    all.find((slot) => slot.closest('td').id === focusedId) ??
    document.querySelector('.grid .now :is(a, button).slot') ??
    all[0];
  for (const slot of all) slot.tabIndex = slot === chosen ? 0 : -1;
}

document.addEventListener('focusin', ({ target }) => {
  if (!target.matches('.grid .slot')) return;
  focusedId = target.closest('td').id;
  arrange();
});

document.addEventListener('keydown', (event) => {
  if (!event.target.matches('.grid .slot') || event.ctrlKey || event.altKey || event.metaKey) return;
  const next = MOVES[event.key]?.(event.target);
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
});

const MOVES = {
  ArrowDown: (slot) => inColumn(slot)[inColumn(slot).indexOf(slot) + 1],
  ArrowUp: (slot) => inColumn(slot)[inColumn(slot).indexOf(slot) - 1],
  ArrowRight: (slot) => beside(slot, 1),
  ArrowLeft: (slot) => beside(slot, -1),
  Home: (slot) => inColumn(slot)[0],
  End: (slot) => inColumn(slot).at(-1),
};

const columnOf = (slot) => Number(slot.closest('td').dataset.column);

function inColumn(slot, column = columnOf(slot)) {
  return slots().filter((each) => columnOf(each) === column);
}

/** The slot at the nearest height, in the next column with slots on that side. */
function beside(slot, step) {
  const columns = slots().map(columnOf);
  const onThatSide = columns.filter((column) => Math.sign(column - columnOf(slot)) === step);
  if (onThatSide.length === 0) return undefined;
  const column = step > 0 ? Math.min(...onThatSide) : Math.max(...onThatSide);
  const top = (each) => each.closest('td').getBoundingClientRect().top;
  const distance = (each) => Math.abs(top(each) - top(slot));
  return inColumn(slot, column).reduce((best, each) => (distance(each) < distance(best) ? each : best));
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('.grid a[href^="#"]');
  const target = link === null ? null : document.getElementById(link.hash.slice(1));
  if (target === null) return;
  event.preventDefault();
  target.scrollIntoView({ block: 'center', inline: 'center' });
  target.querySelector('a.slot, button.slot')?.focus();
});

// Counts from the seconds that the service sent, because this machine's clock may be wrong.
let shownAtMs = performance.now();
let isStale = false;

function countDown() {
  const passed = Math.floor((performance.now() - shownAtMs) / 1000);
  for (const place of document.querySelectorAll('[data-seconds-left]')) {
    const left = Math.max(0, Number(place.dataset.secondsLeft) - passed);
    const pad = (number) => String(number).padStart(2, '0');
    place.textContent = `${pad(Math.floor(left / 60))}:${pad(left % 60)}`;
    if (left === 0 && !isStale) {
      isStale = true;
      document.dispatchEvent(new Event('console:stale'));
    }
  }
}

function onShown() {
  shownAtMs = performance.now();
  isStale = false;
  arrange();
}

document.addEventListener('console:shown', onShown);
setInterval(countDown, 1000);
onShown();

// Scrolls today to the current slots, past the earlier ones.
const now = document.querySelector('.grid .now');
if (now !== null) {
  const head = document.querySelector('.grid thead').offsetHeight;
  document.getElementById('grid-scroll').scrollTop = now.offsetTop - head - now.offsetHeight;
}
