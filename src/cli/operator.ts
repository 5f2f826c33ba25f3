/** The operator's command line: `npm run operator -- <noun> <verb>`, in the image `node dist/src/cli/operator.js`. */

import { text } from 'node:stream/consumers';
import { onStopSignal } from '../platform/stop-signals.ts';
import { operatorEnvironment } from '../process/config/environment.ts';
import { EXIT, interruption } from './errors.ts';
import { runCommandLine } from './program.ts';
import type { Sink } from './terminal.ts';

const stop = new AbortController();
onStopSignal(() => stop.abort());

const exitCode = await runCommandLine(process.argv.slice(2), {
  out: sinkOf(process.stdout),
  err: sinkOf(process.stderr),
  environment: operatorEnvironment(),
  readInput,
  interrupted: stop.signal,
}).catch((err: unknown) => {
  const reason = err instanceof Error ? err.message : String(err);
  process.stderr.write(`error: Unexpected failure (${reason}). Please report it.\n`);
  return EXIT.failed;
});
process.exitCode ??= exitCode;

/** All of standard input. @throws CommandError if the user interrupts */
function readInput(): Promise<string> {
  stop.signal.addEventListener('abort', () => process.stdin.destroy());
  return text(process.stdin).catch((err: unknown) => {
    throw stop.signal.aborted ? interruption() : err;
  });
}

/** Drops output after its reader, such as `head`, has closed. Other write errors, such as a full disk, are failures. */
function sinkOf(stream: NodeJS.WriteStream): Sink {
  let isClosed = false;
  stream.on('error', (err: NodeJS.ErrnoException) => {
    isClosed = true;
    if (err.code === 'EPIPE') return;
    process.exitCode = EXIT.failed;
    if (stream !== process.stderr) process.stderr.write(`error: The output cannot be written (${err.code}).\n`);
  });
  return {
    write: (chunk) => {
      if (!isClosed) stream.write(chunk);
    },
    isTty: stream.isTTY,
    // A terminal of unknown width reports 0.
    columns: stream.isTTY && stream.columns > 0 ? stream.columns : undefined,
  };
}
