// Forms that change something. Each makes one call of the operator API, with the signed-in operator's cookie.

import { clearFaults, confirmed, showSecret } from './dialogs.js';
import { refresh, say, sayOnNextPage, signInAgain } from './refresh.js';
import { toInstant } from './venue-time.js';

const TIMEOUT_MS = 20_000;
const UNKNOWN = 'The service did not respond. The change may have been made: check before you try again.';

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (form.dataset.api === undefined) return;
  event.preventDefault();
  void submit(form);
});

async function submit(form) {
  clearFaults(form);
  const { question, yes } = form.dataset;
  if (form.ariaBusy === 'true' || (question !== undefined && !(await confirmed(question, yes)))) return;
  form.ariaBusy = 'true';
  try {
    const reply = await call(form).catch(() => undefined);
    if (reply === undefined) showFaults(form, { message: UNKNOWN });
    else if (reply.status === 401) signInAgain();
    else if (reply.ok) await succeed(form, reply.body);
    else showFaults(form, reply.body.error ?? { message: UNKNOWN });
  } finally {
    form.ariaBusy = 'false';
  }
}

/** Calls the API; returns the response, rejects if the outcome is unknown. */
async function call(form) {
  const [method, template] = form.dataset.api.split(' ');
  const path = template.replace(/\{(\w+)\}/g, (_all, name) => encodeURIComponent(form.elements[name].value));
  const hasBody = method === 'POST' || method === 'PATCH';
  const json = { 'content-type': 'application/json', accept: 'application/json' };
  const response = await fetch(path, {
    method,
    headers: hasBody ? json : { accept: json.accept },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(hasBody ? { body: JSON.stringify(await bodyOf(form)) } : {}),
  });
  const { ok, status } = response;
  return { ok, status, body: status === 204 ? {} : await response.json() };
}

/** The fields as the API wants them, without blank fields. */
async function bodyOf(form) {
  const body = {};
  for (const control of form.elements) {
    if (control.name === '' || control.disabled || 'path' in control.dataset) continue;
    const value = control.type === 'file' ? await contentOf(control) : valueOf(control, form);
    if (control.dataset.type === 'list' && value !== undefined) (body[control.name] ??= []).push(value);
    else if (value !== undefined) body[control.name] = value;
  }
  return body;
}

/** The value of the chosen JSON file. Invalid JSON is sent as text, which the API rejects with the reason. */
async function contentOf({ files: [file] }) {
  const text = await file?.text();
  try {
    return text && JSON.parse(text);
  } catch {
    return text;
  }
}

function valueOf(control, form) {
  const { value, dataset } = control;
  if (control.type === 'checkbox' && !control.checked) return undefined;
  if (dataset.type === 'list') return value;
  if (control.type === 'checkbox') return true;
  // Every attempt to send the form uses this value until one succeeds.
  if ('newKey' in dataset) return (form.dataset.key ??= newKey());
  if (value === '') return undefined;
  if (dataset.zone !== undefined) return toInstant(value, dataset.zone);
  return dataset.type === 'integer' ? Number(value) : value;
}

function newKey() {
  // randomUUID exists only on pages served over https.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

async function succeed(form, result) {
  delete form.dataset.key;
  const { done, reveal, next } = form.dataset;
  form.closest('dialog')?.close();
  if (reveal !== undefined) await showSecret(result[reveal]);
  if ((result.conflict_count ?? 0) > 0) {
    // The blackout's page lists the customers to call.
    location.assign(`/blackouts/${result.blackout_id}`);
    return;
  }
  const message = done.replace(/\{(\w+)\}/g, (_all, name) => result[name]);
  if (next !== undefined) {
    sayOnNextPage(message);
    location.assign(next);
    return;
  }
  await refresh();
  say(message);
  if (result.blackout_id !== undefined) document.getElementById(result.blackout_id)?.focus();
}

/** Shows the errors next to the fields that the API names, else above the button. */
function showFaults(form, { message, details = [] }) {
  const general = details.filter((detail) => !showAtField(form, detail));
  if (details.length === 0) general.push({ message });
  form.querySelector('.form-error').textContent = general.map((fault) => fault.message).join(' ');
  form.querySelector('[aria-invalid=true]')?.focus();
}

function showAtField(form, { path, message }) {
  const [field] = path.split('.');
  const control = [...form.elements].find(({ name, type }) => name === field && type !== 'hidden');
  if (control === undefined) return false;
  const earlier = document.getElementById(`${control.id}-fault`);
  if (earlier !== null) {
    if (control.dataset.fault === undefined) earlier.textContent += `; ${message}`;
    return true;
  }
  const fault = document.createElement('p');
  fault.className = 'field-error';
  fault.id = `${control.id}-fault`;
  fault.textContent = control.dataset.fault ?? message;
  fault.setAttribute('role', 'alert');
  control.after(fault);
  control.dataset.describedby ??= control.getAttribute('aria-describedby') ?? '';
  control.setAttribute('aria-describedby', `${control.dataset.describedby} ${fault.id}`.trim());
  control.setAttribute('aria-invalid', 'true');
  return true;
}
