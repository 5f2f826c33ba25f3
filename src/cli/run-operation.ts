import { plainJson } from '../platform/unseen-text.rules.ts';
import type { CallApi } from './client.ts';
import type { CommandRow } from './commands.ts';
import type { Operation } from './description.ts';
import { CallError, CommandError, EXIT } from './failure.ts';
import type { Page } from './pages.ts';
import { readAll } from './pages.ts';
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
  const answer = await withAdvice(madeKey, () =>
    options['all'] === true ? readAll(call, request) : call(request),
  );
  if (options['json'] === true) {
    if (answer !== undefined) writeLine(terminal.out, plainJson(answer));
    return;
  }
  show(terminal, row, answer);
}

async function withAdvice(madeKey: string | undefined, call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (err) {
    if (madeKey === undefined || !(err instanceof CommandError)) throw err;
    const mayBeDone = err instanceof CallError ? err.mayBeDone : err.exitCode === EXIT.interrupted;
    if (!mayBeDone) throw err;
    const advice = `It may have been done. Repeat it with --idempotency-key ${madeKey}: then it is done once.`;
    throw new CommandError(`${err.message}\n${advice}`, err.exitCode, err);
  }
}

function show(terminal: Terminal, row: CommandRow, answer: unknown): void {
  if (!isObject(answer)) writeLine(terminal.out, row.done ?? 'Done.');
  else if (row.columns !== undefined) showPage(terminal, row.columns, answer as Page);
  // The description is for programs.
  else if ('openapi' in answer) writeLine(terminal.out, plainJson(answer));
  else showObject(terminal, answer);
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
  writeLine(terminal.out, `The first ${count}. For all of them: --all. For the next page:`);
  writeLine(terminal.out, `--cursor ${next}`);
}
