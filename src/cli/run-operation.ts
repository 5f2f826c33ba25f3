import { plainJson } from '../platform/unseen-text.rules.ts';
import type { CallApi, Page } from './client.ts';
import { readAll } from './client.ts';
import type { CommandRow } from './commands.ts';
import type { Operation } from './description.ts';
import { CallError, CommandError, EXIT } from './errors.ts';
import type { Options } from './request.ts';
import { buildRequest } from './request.ts';
import type { Terminal } from './terminal.ts';
import { widthOf, wrapped, writeLine } from './terminal.ts';
import { isObject } from './values.ts';
import { showListing, showObject } from './views.ts';

/**
 * Carries out one command: a call (with `--all` as many as there are pages), and its response as JSON or for people.
 * @throws CommandError in a sentence
 */
export async function runOperation(
  { row, operation }: { row: CommandRow; operation: Operation },
  args: readonly string[],
  options: Options,
  { terminal, call }: { terminal: Terminal; call: CallApi },
): Promise<void> {
  const { request, madeKey } = await buildRequest(operation, args, options, terminal.readInput);
  const response = await withAdvice(madeKey, () =>
    options['all'] === true ? readAll(call, request) : call(request),
  );
  if (options['json'] === true) {
    if (response !== undefined) writeLine(terminal.out, plainJson(response));
    return;
  }
  show(terminal, row, response);
}

async function withAdvice(madeKey: string | undefined, call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (err) {
    if (madeKey === undefined || !(err instanceof CommandError)) throw err;
    const mayBeDone = err instanceof CallError ? err.mayBeDone : err.exitCode === EXIT.interrupted;
    if (!mayBeDone) throw err;
    const advice = `It may have been carried out. Repeat it with --idempotency-key ${madeKey}: it then takes effect only once.`;
    throw new CommandError(`${err.message}\n${advice}`, err.exitCode, err);
  }
}

function show(terminal: Terminal, row: CommandRow, response: unknown): void {
  if (!isObject(response)) writeLine(terminal.out, row.done ?? 'Done.');
  else if (row.columns !== undefined) showPage(terminal, row.columns, response as Page);
  // The description is for programs.
  else if ('openapi' in response) writeLine(terminal.out, plainJson(response));
  else showObject(terminal, response);
  if (row.remark === undefined) return;
  writeLine(terminal.out);
  for (const line of wrapped(row.remark, widthOf(terminal))) writeLine(terminal.out, line);
}

function showPage(
  terminal: Terminal,
  columns: NonNullable<CommandRow['columns']>,
  { data, count, next_cursor: next }: Page,
): void {
  showListing(terminal, columns, data);
  if (!next) return;
  writeLine(terminal.out);
  writeLine(
    terminal.out,
    `Showing the first ${count}. Use --all for all of them, or this for the next page:`,
  );
  writeLine(terminal.out, `--cursor ${next}`);
}
