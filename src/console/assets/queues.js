// Hides on Bull Board what the service refuses (queue-board.rules.ts): it knows no way to leave single buttons out. Those of a queue
// are known by their English names, the language that the board is set to, those of a job by their icons: they have no name.

const REFUSED = new Set([
  ...['Add job', 'Empty', 'Obliterate', 'Set concurrency', 'Set rate limit', 'Clean all', 'Promote all'],
]);
const REFUSED_ICONS = ['corner-up-left', 'clock', 'files', 'pencil', 'arrow-up-down', 'list-x']
  .map((icon) => `.lucide-${icon}`)
  .join(', ');

/** Only what failed may be retried at once. */
const isOfFailed = () => new URLSearchParams(location.search).get('status') === 'failed';

function isRefused(control) {
  const name = control.textContent.trim();
  if (REFUSED.has(name) || (name === 'Retry all' && !isOfFailed())) return true;
  return control.closest('[class*=jobActions]') !== null && control.querySelector(REFUSED_ICONS) !== null;
}

function hideRefused() {
  for (const control of document.querySelectorAll('button, [role=menuitem]')) {
    // The board's own style sheet shows what is only hidden.
    const display = isRefused(control) ? 'none' : '';
    if (control.style.display !== display) control.style.display = display;
  }
}

new MutationObserver(hideRefused).observe(document.documentElement, { childList: true, subtree: true });
hideRefused();
