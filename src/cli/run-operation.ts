import { plainJson } from '../platform/unseen-text.rules.ts';
import { type CallApi, type Page, readAll } from './client.ts';
import { COLUMNS } from './commands.ts';
import type { Operation } from './description.ts';
import { CallError, CommandError, EXIT } from './errors.ts';
import { buildRequest, type Options } from './request.ts';
import { type Terminal, writeLine, writeWrapped } from './terminal.ts';
import { isObject } from './values.ts';
import { showListing, showObject } from './views.ts';

/**
 * Makes the call of a command (`--all`: a call for each page); prints the response as JSON or text.
 * @throws CommandError
 */
export async function runOperation(
  operation: Operation,
  args: readonly string[],
  options: Options,
  { terminal, call }: { terminal: Terminal; call: CallApi },
): Promise<void> {
  const { request, madeIdempotencyKey } = await buildRequest(operation, args, options, terminal.readInput);
  const response = await withAdvice(madeIdempotencyKey, () =>
    options['all'] === true ? readAll(call, request) : call(request),
  );
  if (options['json'] !== true) show(terminal, operation, response);
  else if (response !== undefined) writeLine(terminal.out, plainJson(response));
}

async function withAdvice(madeIdempotencyKey: string | undefined, call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (err) {
    if (madeIdempotencyKey === undefined || !(err instanceof CommandError)) throw err;
    const mayBeDone = err instanceof CallError ? err.mayBeDone : err.exitCode === EXIT.interrupted;
    if (!mayBeDone) throw err;
    const advice = `The call may have been carried out. Repeat it with --idempotency-key ${madeIdempotencyKey}: it then takes effect only once.`;
    throw new CommandError(`${err.message}\n${advice}`, err.exitCode, err);
  }
}

const SHOWN_ONCE = 'The api_key is shown only this once: store it now, where only its partner can read it.';

function show(terminal: Terminal, { id, outcome }: Operation, response: unknown): void {
  const columns = COLUMNS[id];
  if (!isObject(response)) writeLine(terminal.out, outcome);
  else if (columns !== undefined) showPage(terminal, columns.split(' '), response as Page);
  // Only programs read the description of the API.
  else if ('openapi' in response) writeLine(terminal.out, plainJson(response));
  else {
    showObject(terminal, response);
    if ('api_key' in response) writeWrapped(terminal, `\n${SHOWN_ONCE}`);
  }
}

function showPage(terminal: Terminal, columns: readonly string[], { data, count, next_cursor: next }: Page): void {
  showListing(terminal, columns, data);
  if (!next) return;
  const advice = `Only these ${count} are shown. Use --all for all of them, or this for the next page:`;
  writeLine(terminal.out, `\n${advice}\n--cursor ${next}`);
}
