// Does what Bull Board has no option for: hides the buttons of calls that the service rejects (queue-board.rules.ts),
// and asks why a queue is paused. Recognises queue buttons by their English names (the board is set to English), and
// job buttons by their icons, because they have no name until this script adds one.

const REJECTED = [
  ...['Add job', 'Empty', 'Obliterate', 'Set concurrency', 'Set rate limit', 'Clean all', 'Promote all', 'Pause all'],
];
const REJECTED_ICONS = ['corner-up-left', 'clock', 'files', 'pencil', 'arrow-up-down', 'list-x']
  .map((icon) => `.lucide-${icon}`)
  .join(', ');

/** Only failed jobs may be retried together. */
const showsFailedJobs = () => new URLSearchParams(location.search).get('status') === 'failed';

function isRejected(control) {
  const name = control.textContent.trim();
  if (REJECTED.includes(name) || (name === 'Retry all' && !showsFailedJobs())) return true;
  return control.closest('[class*=jobActions]') !== null && control.querySelector(REJECTED_ICONS) !== null;
}

/** Names for buttons that have only an icon. */
const NAMES_OF_ICONS = Object.entries({
  'trash-2': 'Remove',
  'refresh-cw': 'Retry',
  'ellipsis-vertical': 'Actions',
  copy: 'Copy',
  'circle-user': 'Links',
  settings: 'Settings',
  maximize: 'Full screen',
});

function amend() {
  for (const control of document.querySelectorAll('button, [role=menuitem]')) {
    // The board's style sheet overrides the attribute `hidden`.
    const display = isRejected(control) ? 'none' : '';
    if (control.style.display !== display) control.style.display = display;
    if (control.textContent.trim() !== '' || control.ariaLabel !== null) continue;
    const [, name] = NAMES_OF_ICONS.find(([icon]) => control.querySelector(`.lucide-${icon}`) !== null) ?? [];
    if (name !== undefined) control.ariaLabel = name;
  }
}

new MutationObserver(amend).observe(document.documentElement, { childList: true, subtree: true });
amend();

// The board sends its calls by XMLHttpRequest. A call that pauses a queue carries the reason; without a reason it is
// not sent.
const { open, send } = XMLHttpRequest.prototype;
const pausing = new WeakMap();

XMLHttpRequest.prototype.open = function (method, url, ...rest) {
  const [, queue] = /\/queues\/([^/]+)\/pause$/.exec(url) ?? [];
  if (queue !== undefined) pausing.set(this, queue);
  open.call(this, method, url, ...rest);
};

XMLHttpRequest.prototype.send = function (body) {
  if (pausing.has(this)) {
    const reason = askReason(pausing.get(this));
    if (reason === undefined) return;
    this.setRequestHeader('X-Reason', encodeURIComponent(reason));
  }
  send.call(this, body);
};

/** Asks until there is a reason that the service accepts; undefined if the operator cancels. */
function askReason(queue) {
  const question = `Why do you pause ${queue}? The audit and the alert show the reason (up to 200 characters).`;
  for (;;) {
    const reason = prompt(question)?.trim();
    if (reason === undefined || (reason !== '' && reason.length <= 200)) return reason;
  }
}
