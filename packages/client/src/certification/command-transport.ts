import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { PassThrough } from 'node:stream';
import type { Transport } from './actions.ts';
import { UnusableAnswer } from './scenario.ts';
import { ACTION_DEADLINE_MS, excerptOf, parsed, requireWithin, withinDeadline } from './transports.ts';

/** How a command reaches the service. */
export type CommandEnvironment = { PARTNER_BASE_URL: string; PARTNER_API_KEY: string };

const KEPT_LENGTH = 10_000;
/** How long output may arrive after the command has ended: what it started may hold its stdout open. */
const LAST_OUTPUT_MS = 500;

/**
 * Runs `<command…> <action>` for each action: JSON on stdin and stdout, exit code 0. Kills the command and what it
 * started at the deadline or when `signal` aborts; processes it leaves running are not waited for.
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
        // A process group of its own, so that everything it starts is killed with it.
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
      // It may end without reading its input.
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
    // Nothing is running any more.
  }
}

/** Closes the pipes: this process would wait for their other holders. */
function letGo(child: ChildProcessWithoutNullStreams): void {
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  child.unref();
}

/** Reads a whole stream, and keeps enough for an excerpt. */
function beginningOf(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < KEPT_LENGTH) text += chunk;
  });
  return () => text;
}
