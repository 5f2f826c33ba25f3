#!/usr/bin/env node

import { homedir } from 'node:os';
import path from 'node:path';
import { EXIT } from './command-error.ts';
import { runPartnerCommand } from './program.ts';
import type { Environment, Sink } from './world.ts';

const stop = new AbortController();
let stoppedAt: number | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    // Under npx, one Ctrl-C causes two signals: one from the terminal and one from npx. Only a SIGINT more than 1 s
    // after the first signal ends the command at once.
    if (signal === 'SIGINT' && performance.now() - (stoppedAt ?? Number.POSITIVE_INFINITY) > 1000)
      process.exit(EXIT.interrupted);
    stoppedAt ??= performance.now();
    stop.abort();
  });

const exitCode = await runPartnerCommand(process.argv.slice(2), {
  out: sinkOf(process.stdout),
  err: sinkOf(process.stderr),
  environment: environment(),
  interrupted: stop.signal,
}).catch((failure: unknown) => {
  const reason = failure instanceof Error ? failure.message : String(failure);
  process.stderr.write(`error: Unexpected failure (${reason}). Please report it.\n`);
  return EXIT.refused;
});
process.exitCode ??= exitCode;

function environment(): Environment {
  const { PARTNER_BASE_URL, PARTNER_API_KEY, PARTNER_WEBHOOK_SECRET, NO_COLOR = '' } = process.env;
  const { XDG_STATE_HOME = '' } = process.env;
  return {
    baseUrl: PARTNER_BASE_URL,
    apiKey: PARTNER_API_KEY,
    webhookSecret: PARTNER_WEBHOOK_SECRET,
    isColorless: NO_COLOR !== '',
    stateFolder: path.join(XDG_STATE_HOME || path.join(homedir(), '.local/state'), 'partner'),
  };
}

/** A reader that closes early, such as `head`, is not a failure. Other write errors are, such as a full disk. */
function sinkOf(stream: NodeJS.WriteStream): Sink {
  let isClosed = false;
  stream.on('error', (failure: NodeJS.ErrnoException) => {
    isClosed = true;
    if (failure.code === 'EPIPE') return;
    process.exitCode = EXIT.refused;
    if (stream !== process.stderr) process.stderr.write(`error: The output cannot be written (${failure.code}).\n`);
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
