/** The operator's file of venues, imported by the command line: looked at first, then done, then done again. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nodeArguments } from '../embedded/processes.ts';
import { requireThat, UnexpectedError } from './expectations.ts';
import type { FoundSystem } from './find-system.ts';
import type { Transcript } from './transcript.ts';

const commandFile = fileURLToPath(new URL('../../cli/operator.ts', import.meta.url));
const folder = fileURLToPath(new URL('../../..', import.meta.url));
const venuesFile = 'examples/venues/venues.yaml';
const deadlineMs = 120_000;

/** Leaves the venues of the example file in the service, granted to nobody; where they are from an earlier run, they stay. */
export async function importVenues(system: FoundSystem, transcript: Transcript): Promise<void> {
  const run = (...options: string[]) => runOperator(system, transcript, ['import', venuesFile, ...options]);
  await run('--dry-run');
  await run();
  transcript.passed('3 venues, 14 resources, their schedules and prices are as the file says');
  const again = await run();
  requireThat(again.startsWith('Nothing to change'), 'the second import', 'Nothing to change', again);
  transcript.passed('the same file again changes nothing');
}

/** What the command printed; its end is shown. @throws UnexpectedError where it did not succeed */
async function runOperator(
  system: FoundSystem,
  transcript: Transcript,
  args: readonly string[],
): Promise<string> {
  transcript.note(`npm run operator -- ${args.join(' ')}`);
  const environment = { OPERATOR_URL: system.adminUrl, OPERATOR_API_KEY: system.operatorApiKey };
  const printed = await new Promise<string>((resolve, reject) => {
    execFile(
      process.execPath,
      [...nodeArguments(commandFile), ...args],
      { cwd: folder, env: { ...process.env, ...environment, COLUMNS: '74' }, timeout: deadlineMs },
      (failure, out, err) => {
        if (failure === null) resolve(out);
        else reject(new UnexpectedError(`operator ${args.join(' ')}`, 'exit code 0', err || failure.message));
      },
    );
  });
  const lines = printed.trimEnd().split('\n');
  const ofTotals = lines.findIndex((line) => line.startsWith('To ') || line.startsWith('Nothing'));
  for (const line of lines.slice(Math.max(0, ofTotals))) transcript.row(line);
  return printed;
}
