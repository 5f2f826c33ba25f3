import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { PassThrough } from 'node:stream';
import type { Transport } from './actions.ts';
import { UnusableAnswer } from './scenario.ts';
import { ACTION_DEADLINE_MS, excerptOf, parsed, requireWithin, withinDeadline } from './transports.ts';

/** What a command is told of the service that it is to call. */
export type CommandEnvironment = { PARTNER_BASE_URL: string; PARTNER_API_KEY: string };

const KEPT_LENGTH = 10_000;
/** How long what a command has printed may take to arrive once it has ended. What it started may hold its stdout for ever. */
const LAST_OUTPUT_MS = 500;

/**
 * Runs `<command…> <action>` once for each action: the input is JSON on its stdin, the result JSON on its stdout, its exit code 0.
 * Whatever of it still runs at the deadline, or when `signal` aborts, is killed; what it has left running when it ended is not waited for.
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
        // A group of its own, to be killed with all that it has started.
        detached: process.platform !== 'win32',
      });
      const output = child.stdout.pipe(new PassThrough());
      const cut = () => {
        killAll(child);
        letGo(child);
        output.destroy(new Error('it was killed'));
      };
      ending.addEventListener('abort', cut, { once: true });
      const stderr = beginningOf(child.stderr);
      // It may end without having read what it is given.
      child.stdin.on('error', () => undefined).end(JSON.stringify(input));
      const ended = new Promise<number | null>((resolve, reject) => {
        child.once('error', reject).once('exit', (code) => {
          setTimeout(() => output.end(), LAST_OUTPUT_MS).unref();
          resolve(code);
        });
      });
      const [code, stdout] = await Promise.all([ended, requireWithin(action, output)]);
      ending.removeEventListener('abort', cut);
      letGo(child);
      if (code !== 0)
        throw new UnusableAnswer(
          `${action}: the command ended with ${code === null ? 'a signal' : `exit code ${code}`}: ${excerptOf(stderr())}`,
        );
      return parsed(action, stdout);
    });
}

function killAll(child: ChildProcessWithoutNullStreams): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
  } catch {
    // None of it runs any more.
  }
}

/** Keeps nothing of the command open, or this process would wait for whoever has its pipes. */
function letGo(child: ChildProcessWithoutNullStreams): void {
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  child.unref();
}

/** Reads all of a stream, and keeps what an excerpt takes. */
function beginningOf(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < KEPT_LENGTH) text += chunk;
  });
  return () => text;
}
