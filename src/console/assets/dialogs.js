// Dialogs. A button opens its dialog and has the texts for it; Escape, the cross or a successful form closes it.

document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-dialog], [data-close], [data-copy]');
  if (button === null) return;
  if (button.dataset.dialog !== undefined) open(button);
  else if (button.dataset.copy !== undefined) void copy(button);
  else button.closest('dialog').close();
});

function open({ dataset }) {
  const dialog = document.getElementById(dataset.dialog);
  const fill = JSON.parse(dataset.fill ?? '{}');
  for (const form of dialog.querySelectorAll('form')) {
    form.reset();
    delete form.dataset.key;
    clearFaults(form);
  }
  for (const place of dialog.querySelectorAll('[data-text]')) place.textContent = fill[place.dataset.text] ?? '';
  for (const link of dialog.querySelectorAll('[data-href]')) link.href = fill[link.dataset.href] ?? '';
  for (const part of dialog.querySelectorAll('[data-if]')) {
    part.hidden = !fill[part.dataset.if];
    // Hidden fields are neither required nor sent.
    for (const control of part.querySelectorAll('input')) control.disabled = part.hidden;
  }
  for (const part of dialog.querySelectorAll('details')) part.open = false;
  for (const control of dialog.querySelectorAll('input[type=hidden]')) {
    if (fill[control.name] !== undefined) control.value = fill[control.name];
  }
  dialog.showModal();
}

/** Removes the errors of an earlier attempt to send the form. */
export function clearFaults(form) {
  for (const fault of form.querySelectorAll('.field-error')) fault.remove();
  for (const control of form.querySelectorAll('[aria-invalid]')) {
    control.removeAttribute('aria-invalid');
    control.setAttribute('aria-describedby', control.dataset.describedby ?? '');
  }
  const general = form.querySelector('.form-error');
  if (general !== null) general.textContent = '';
}

/** Asks a question, and resolves to whether the operator agreed. */
export async function confirmed(question, yes) {
  const dialog = document.getElementById('confirm-dialog');
  dialog.querySelector('[data-text=question]').textContent = question;
  dialog.querySelector('[data-text=yes]').textContent = yes;
  dialog.returnValue = '';
  dialog.showModal();
  await closed(dialog);
  return dialog.returnValue === 'yes';
}

/** Shows a secret until the dialog is closed, then deletes it from the page. */
export async function showSecret(secret) {
  const dialog = document.getElementById('secret-dialog');
  const field = dialog.querySelector('input');
  field.value = secret;
  dialog.showModal();
  field.select();
  await closed(dialog);
  field.value = '';
}

function closed(dialog) {
  return new Promise((resolve) => {
    dialog.addEventListener('close', resolve, { once: true });
  });
}

async function copy(button) {
  const field = document.getElementById(button.dataset.copy);
  field.select();
  // A page served over plain http has no clipboard; operators can copy the selected text by hand.
  const isCopied = await navigator.clipboard?.writeText(field.value).then(
    () => true,
    () => false,
  );
  button.textContent = isCopied ? 'Copied' : 'Selected: press Ctrl+C';
  button.closest('dialog').addEventListener('close', () => (button.textContent = 'Copy'), { once: true });
}
