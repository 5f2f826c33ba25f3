// Tests a deployment against every rule of docs/contract.md: see `npm run conformance -- --help`.

import { onStopSignal } from '../src/platform/stop-signals.ts';
import { ROWS } from '../test/conformance/rows.ts';
import { parseOptions, USAGE, UsageError } from '../test/conformance/runner/options.ts';
import { reportOf } from '../test/conformance/runner/report.ts';
import { runConformance } from '../test/conformance/runner/run.ts';

const stop = new AbortController();
onStopSignal(() => stop.abort());

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2), process.env);
  if (options === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  const outcomes = await runConformance(options, {
    rows: ROWS,
    say: (line) => console.error(line),
    stopping: stop.signal,
  });
  process.stdout.write(reportOf(outcomes));
  const isBroken = outcomes.some(({ result }) => typeof result === 'object' && 'broken' in result);
  return isBroken || stop.signal.aborted ? 1 : 0;
}

process.exitCode = await main().catch((err: unknown) => {
  if (!(err instanceof UsageError)) throw err;
  console.error(`conformance: ${err.message}\nSee npm run conformance -- --help`);
  return 2;
});
// Exit now: keep-alive connections would keep the process running.
process.exit();
