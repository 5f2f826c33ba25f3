import { spawn } from 'node:child_process';
import { eventually } from '../support/eventually.ts';

/** A rejected call (4xx, 5xx) ends the shell as a failed command does. */
const STRICT = 'set -euo pipefail; curl() { command curl --fail-with-body "$@"; }\n';

/**
 * A shell in a folder, in a process group of its own, into which commands are pasted one block after the other, as a person does
 * with a guide.
 */
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
  // A shell that has failed takes no more input.
  shell.stdin.on('error', () => undefined);
  shell.stdin.write(STRICT);
  const output = (): string => printed.join('');
  let blocks = 0;
  return {
    /** Everything printed so far, by background jobs too. */
    output,
    /** Runs a block to its end and answers what it printed. A command or call that fails ends the shell, and this rejects. */
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
    /** Ends the shell and what it started. */
    end: async () => {
      if (shell.pid !== undefined && !hasEnded) process.kill(-shell.pid, 'SIGKILL');
      await ended;
    },
  };
}
