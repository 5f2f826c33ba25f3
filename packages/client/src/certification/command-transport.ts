import { spawn } from 'node:child_process';
import type { Transport } from './actions.ts';
import { UnusableAnswer } from './scenario.ts';
import { ACTION_DEADLINE_MS, excerptOf, parsed, withinDeadline } from './transports.ts';

/** What a command is told of the service that it is to call. */
export type CommandEnvironment = { PARTNER_BASE_URL: string; PARTNER_API_KEY: string };

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
      const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
      // It may end without having read what it is given.
      child.stdin.on('error', () => undefined).end(JSON.stringify(input));
      const code = await new Promise<number | null>((resolve, reject) => {
        child.once('error', reject).once('close', resolve);
      });
      if (code !== 0)
        throw new UnusableAnswer(
          `${action}: the command ended with ${code === null ? 'a signal' : `exit code ${code}`}: ${excerptOf(await stderr)}`,
        );
      return parsed(action, await stdout);
    });
}

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch {
    // The child was killed: what came until then counts.
  }
  return Buffer.concat(chunks).toString();
}
