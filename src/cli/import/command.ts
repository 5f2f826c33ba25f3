import type { Command } from 'commander';
import { plainJson } from '../../platform/unseen-text.rules.ts';
import type { CallApi } from '../client.ts';
import { type ConnectionOptions, connect } from '../connection.ts';
import { CallError, CommandError, EXIT } from '../errors.ts';
import { type Terminal, writeLine } from '../terminal.ts';
import { type Json, textOf } from '../values.ts';
import { checkContent } from './check.ts';
import type { Fault } from './file-content.ts';
import { readOffSale } from './off-sale.ts';
import { planOf } from './plan.ts';
import { readCurrent } from './read-current.ts';
import { readVenuesFile } from './read-file.ts';
import { faultLine, progressOn, showOffSale, showPlan, stopText } from './report.ts';
import type { Outcome, Plan } from './steps.ts';

type Options = ConnectionOptions & { dryRun?: boolean; json?: boolean };

const DESCRIPTION =
  'Creates and updates venues, resources, schedules and price rules from a YAML or CSV file. Checks every row ' +
  'before it changes anything. Venues and fields that are not in the file stay unchanged. Run it again to complete an ' +
  'interrupted import.';

const EXAMPLE = `
Example:
  npm run operator -- import examples/venues/venues.yaml --dry-run`;

export function addImport(program: Command, terminal: Terminal): void {
  const command = program.command('import').summary('import venues from a YAML or CSV file').description(DESCRIPTION);
  command
    .argument('<file>', 'its format is described in docs/guides/command-line.md')
    .option('--dry-run', 'show what would change, and change nothing')
    .addHelpText('after', EXAMPLE)
    .action((file: string) => importVenues(file, command.optsWithGlobals(), terminal));
}

/**
 * @throws CommandError that lists the faults of the file, or the completed and missing steps of an incomplete import
 */
async function importVenues(file: string, options: Options, terminal: Terminal): Promise<void> {
  const isForPrograms = options.json === true;
  const printJson = (fields: Json) => {
    if (!isForPrograms) return;
    writeLine(terminal.out, plainJson({ file, dry_run: options.dryRun === true, ...fields }));
  };
  const rejectFaults = (faults: readonly Fault[]) => {
    if (faults.length === 0) return;
    printJson({ result: 'faulty', faults });
    const count = faults.length === 1 ? 'one error' : `${faults.length} errors`;
    const lines = faults.map((fault) => faultLine(file, fault));
    throw new CommandError([`${file} has ${count}. Nothing was changed.`, ...lines].join('\n'));
  };
  const { venues, faults } = checkContent(await readVenuesFile(file));
  rejectFaults(faults);
  const callForReads = await connect(options, terminal.environment, terminal.interrupted);
  const { state, faults: ambiguous } = await readCurrent(callForReads, venues);
  const plan = planOf(venues, state);
  rejectFaults([...ambiguous, ...plan.faults]);
  const offSaleBefore = await readOffSale(plan.steps, callForReads, 'would be');
  if (!isForPrograms) {
    showPlan(terminal, plan);
    showOffSale(terminal, offSaleBefore, 'would be off sale');
  }
  if (options.dryRun === true || plan.steps.length === 0) {
    const result = plan.steps.length === 0 ? 'unchanged' : 'planned';
    printJson({ result, ...stepsReport(plan), off_sale: offSaleBefore });
    if (!isForPrograms && plan.steps.length > 0) writeLine(terminal.out, 'Dry run: nothing was changed.');
    return;
  }
  // An interrupt must not abort a step in progress, whose outcome would then be unknown.
  const call = await connect(options, terminal.environment, new AbortController().signal);
  const outcome = await applyPlan(plan, call, terminal, isForPrograms);
  if (outcome.stopped !== undefined) {
    printJson({ result: 'stopped', ...stepsReport(plan, outcome) });
    const code = outcome.stopped.isFailure ? EXIT.failed : EXIT.interrupted;
    throw new CommandError(stopText(plan, outcome), code);
  }
  const offSaleAfter = await readOffSale(plan.steps, call, 'is');
  printJson({ result: 'done', ...stepsReport(plan, outcome), off_sale: offSaleAfter });
  if (isForPrograms) return;
  showOffSale(terminal, offSaleAfter, 'off sale now');
  writeLine(terminal.out, `Done: all ${plan.steps.length} steps.`);
}

function stepsReport({ steps, unchanged }: Plan, outcome?: Outcome): Json {
  const stateOf = (index: number): string => {
    if (outcome === undefined) return 'planned';
    if (index < outcome.doneCount) return 'done';
    return index === outcome.doneCount && outcome.stopped?.mayBeDone === true ? 'unknown' : 'not_done';
  };
  return {
    unchanged,
    steps: steps.map(({ request: _request, preview: _preview, creates: _creates, ...step }, index) => ({
      ...step,
      state: stateOf(index),
    })),
    reason: outcome?.stopped?.reason,
  };
}

/** Carries out the steps in order, one call each, until one fails or the user interrupts. */
async function applyPlan(
  { steps, ids }: Plan,
  call: CallApi,
  terminal: Terminal,
  isForPrograms: boolean,
): Promise<Outcome> {
  const progress = progressOn(terminal, steps.length, isForPrograms);
  try {
    for (const [index, step] of steps.entries()) {
      if (terminal.interrupted.aborted) {
        const stopped = { reason: 'Interrupted.', isFailure: false, mayBeDone: false };
        return { doneCount: index, stopped };
      }
      progress?.show(step, index);
      try {
        const response = (await call(step.request(ids))) as Json | undefined;
        const id = response?.[step.kind === 'venue' ? 'venue_id' : 'resource_id'];
        if (step.creates !== undefined) ids.set(step.creates, textOf(id));
      } catch (err) {
        if (!(err instanceof CallError)) throw err;
        const { message: reason, mayBeDone } = err;
        return { doneCount: index, stopped: { reason, isFailure: true, mayBeDone } };
      }
    }
    return { doneCount: steps.length };
  } finally {
    progress?.end();
  }
}
