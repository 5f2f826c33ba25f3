import { spawn } from 'node:child_process';
import { eventually } from '../support/eventually.ts';

/** A rejected call (4xx, 5xx) ends the shell like a failed command. */
const STRICT = 'set -euo pipefail; curl() { command curl --fail-with-body "$@"; }\n';

/** A shell in a folder, in its own process group. Commands are pasted block by block, as a reader of a guide does. */
export function startShell(cwd: string, environment: Record<string, string>) {
  const { PATH = '', HOME = '' } = process.env;
  const shell = spawn('bash', ['--norc', '--noprofile'], {
    cwd,
    env: { PATH, HOME, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const printed: string[] = [];
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    shell.once('close', () => {
      hasEnded = true;
      resolve();
    });
  });
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on('data', (chunk: Buffer) => void printed.push(chunk.toString()));
  }
  // A failed shell accepts no more input.
  shell.stdin.on('error', () => undefined);
  shell.stdin.write(STRICT);
  const output = (): string => printed.join('');
  let blocks = 0;
  return {
    /** Everything printed so far, including by background jobs. */
    output,
    /** Runs a block; returns its output. Rejects if a command or call fails, which ends the shell. */
    paste: async (block: string) => {
      blocks += 1;
      const marker = `<<end of block ${blocks}>>`;
      const before = output().length;
      shell.stdin.write(`${block}\nprintf '\\n%s\\n' '${marker}'\n`);
      await eventually(marker, () => hasEnded || output().includes(marker));
      const text = output().slice(before);
      if (!text.includes(marker)) throw new Error(`The block failed:\n${block}\n${text}`);
      return text.slice(0, text.indexOf(marker));
    },
    /** Ends the shell and its children. */
    end: async () => {
      if (shell.pid !== undefined && !hasEnded) process.kill(-shell.pid, 'SIGKILL');
      await ended;
    },
  };
}
