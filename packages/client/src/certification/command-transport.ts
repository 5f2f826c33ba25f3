import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Transport } from './actions.ts';
import { UnusableAnswer } from './scenario.ts';
import { ACTION_DEADLINE_MS, excerptOf, parsed, requireWithin, withinDeadline } from './transports.ts';

/** What a command is told of the service that it is to call. */
export type CommandEnvironment = { PARTNER_BASE_URL: string; PARTNER_API_KEY: string };

const KEPT_LENGTH = 10_000;

/**
 * Runs `<command…> <action>` once for each action: the input is JSON on its stdin, the result JSON on its stdout, its exit code 0.
 * Whatever still runs at the deadline, or when `signal` aborts, is killed.
 */
export function commandTransport(
  command: readonly string[],
  environment: CommandEnvironment,
  signal: AbortSignal,
  deadlineMs = ACTION_DEADLINE_MS,
): Transport {
  const [program = '', ...args] = command;
  return (action, input) =>
    withinDeadline(action, deadlineMs, signal, async (ending) => {
      const child = spawn(program, [...args, action], {
        env: { ...process.env, ...environment },
        stdio: 'pipe',
        killSignal: 'SIGKILL',
        signal: ending,
      });
      const stderr = beginningOf(child.stderr);
      // It may end without having read what it is given.
      child.stdin.on('error', () => undefined).end(JSON.stringify(input));
      const ended = new Promise<number | null>((resolve, reject) => {
        child.once('error', reject).once('close', resolve);
      });
      const [code, stdout] = await Promise.all([ended, requireWithin(action, child.stdout)]);
      if (code !== 0)
        throw new UnusableAnswer(
          `${action}: the command ended with ${code === null ? 'a signal' : `exit code ${code}`}: ${excerptOf(stderr())}`,
        );
      return parsed(action, stdout);
    });
}

/** Reads all of a stream, and keeps what an excerpt takes. */
function beginningOf(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < KEPT_LENGTH) text += chunk;
  });
  return () => text;
}
