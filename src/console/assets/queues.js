// What Bull Board knows no way to be told: hides what the service refuses (queue-board.rules.ts), and asks for the reason of a pause.
// Buttons of a queue are known by their English names, the language that the board is set to, those of a job by their icons: they
// have no name until they are given one here.

const REFUSED = new Set([
  ...['Add job', 'Empty', 'Obliterate', 'Set concurrency', 'Set rate limit', 'Clean all', 'Promote all', 'Pause all'],
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

/** What a button does whose icon is all that the board says of it. */
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
    // The board's own style sheet shows what is only hidden.
    const display = isRefused(control) ? 'none' : '';
    if (control.style.display !== display) control.style.display = display;
    if (control.textContent.trim() !== '' || control.ariaLabel !== null) continue;
    const [, name] = NAMES_OF_ICONS.find(([icon]) => control.querySelector(`.lucide-${icon}`) !== null) ?? [];
    if (name !== undefined) control.ariaLabel = name;
  }
}

new MutationObserver(amend).observe(document.documentElement, { childList: true, subtree: true });
amend();

// The board sends its calls by XMLHttpRequest. One that pauses is sent when its reason was given; one that was called off never is.
const { open, send } = XMLHttpRequest.prototype;
const pausing = new WeakMap();

XMLHttpRequest.prototype.open = function (method, url, ...rest) {
  const [, queue] = /\/queues\/([^/]+)\/pause$/.exec(url) ?? [];
  if (method.toUpperCase() === 'PUT' && queue !== undefined) pausing.set(this, queue);
  open.call(this, method, url, ...rest);
};

XMLHttpRequest.prototype.send = function (body) {
  if (!pausing.has(this)) {
    send.call(this, body);
    return;
  }
  void askReason(pausing.get(this)).then((reason) => {
    if (reason === undefined) return;
    this.setRequestHeader('X-Reason', encodeURIComponent(reason));
    send.call(this, body);
  });
};

/** Undefined where it was called off. */
function askReason(queue) {
  const dialog = element('dialog', { ariaLabel: 'Reason for the pause' });
  dialog.dataset.own = 'pause';
  const form = element('form', { method: 'dialog' });
  const reason = element('input', { name: 'reason', required: true, maxLength: 200, pattern: '.*\\S.*' });
  reason.autocomplete = 'off';
  const label = element('label', { textContent: 'Reason, for the audit and the alert' });
  label.append(reason);
  const cancel = element('button', { type: 'button', textContent: 'Cancel' });
  cancel.addEventListener('click', () => dialog.close());
  form.append(
    element('h2', { textContent: `Pause ${queue}` }),
    ...[label, cancel, element('button', { type: 'submit', value: 'pause', textContent: 'Pause it' })],
  );
  dialog.append(form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      resolve(dialog.returnValue === 'pause' ? reason.value.trim() : undefined);
      dialog.remove();
    });
  });
}

const element = (name, properties) => Object.assign(document.createElement(name), properties);

const style = element('style', {
  textContent: `
    dialog[data-own] {
      margin: auto; padding: 1.25rem; width: min(28rem, calc(100vw - 2rem)); border: 1px solid var(--border);
      border-radius: 0.5rem; background: var(--card, Canvas); color: var(--card-foreground, CanvasText);
    }
    dialog[data-own]::backdrop { background: rgb(0 0 0 / 50%); }
    dialog[data-own] h2 { margin: 0 0 1rem; font-size: 1.1rem; }
    dialog[data-own] label { display: block; margin-bottom: 1rem; }
    dialog[data-own] input {
      display: block; box-sizing: border-box; width: 100%; margin-top: 0.4rem; padding: 0.5rem; font: inherit;
      border: 1px solid currentcolor; border-radius: 0.25rem; background: transparent; color: inherit;
    }
    dialog[data-own] button {
      padding: 0.5rem 0.9rem; margin-right: 0.5rem; font: inherit; cursor: pointer;
      border: 1px solid currentcolor; border-radius: 0.25rem; background: transparent; color: inherit;
    }
    dialog[data-own] :focus-visible { outline: 2px solid currentcolor; outline-offset: 2px; }`,
});
document.head.append(style);
