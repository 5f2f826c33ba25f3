import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { PassThrough } from 'node:stream';
import type { Transport } from './actions.ts';
import { UnusableAnswer } from './scenario.ts';
import { ACTION_DEADLINE_MS, excerptOf, parsed, requireWithin, withinDeadline } from './transports.ts';

/** The variables with which the command finds the service. */
export type CommandEnvironment = { PARTNER_BASE_URL: string; PARTNER_API_KEY: string };

const MAX_STDERR_LENGTH = 10_000;
/** How long to read output after the exit: child processes may hold stdout open. */
const OUTPUT_AFTER_EXIT_MS = 500;

/**
 * Runs `<command…> <action>` for each action: JSON on stdin and stdout, exit code 0. Kills the command and its child
 * processes at the deadline or when `signal` aborts. Does not wait for child processes of a command that ended.
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
        // Its own process group: killAll then kills its child processes too.
        detached: process.platform !== 'win32',
      });
      const output = child.stdout.pipe(new PassThrough());
      const kill = () => {
        killAll(child);
        closePipes(child);
        output.destroy(new Error('it was killed'));
      };
      ending.addEventListener('abort', kill, { once: true });
      const stderr = excerptReader(child.stderr);
      // The command may end without reading its input.
      child.stdin.on('error', () => undefined).end(JSON.stringify(input));
      const ended = new Promise<number | null>((resolve, reject) => {
        child.once('error', reject).once('exit', (code) => {
          setTimeout(() => output.end(), OUTPUT_AFTER_EXIT_MS).unref();
          resolve(code);
        });
      });
      const [code, stdout] = await Promise.all([ended, requireWithin(action, output)]);
      ending.removeEventListener('abort', kill);
      closePipes(child);
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

/** Closes the pipes, because child processes may hold them open. */
function closePipes(child: ChildProcessWithoutNullStreams): void {
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  child.unref();
}

/** Reads the whole stream, but keeps only its beginning. */
function excerptReader(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < MAX_STDERR_LENGTH) text += chunk;
  });
  return () => text;
}
