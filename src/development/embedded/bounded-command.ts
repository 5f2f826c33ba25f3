/** Runs a command that downloads or builds something, and gives it up when nothing grows any more. */

import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from './server-kinds.ts';

/** How often progress is looked for before a command counts as stalled: each look at a tree of 30,000 files takes a second of a core. */
const LOOKS_PER_STALL = 20;
const keptErrorCharacters = 4000;

export type BoundedCommand = {
  command: string;
  args: readonly string[];
  env: Environment;
  /** Progress is a change in the bytes below this folder. */
  folder: string;
  /** Longest time without progress. */
  stallMs: number;
  /** Receives what a Node child sends over its IPC channel; without it there is no channel. */
  onMessage?: (message: unknown) => void;
};

/**
 * Resolves when the command has ended with exit code 0. The command runs in a process group of its own, which is
 * killed as a whole when it stalls or when this process exits.
 *
 * @throws Error with the last line that the command wrote to stderr, or saying that it made no progress
 */
export async function runBounded(task: BoundedCommand): Promise<void> {
  const stdio: StdioOptions = task.onMessage
    ? ['ignore', 'inherit', 'pipe', 'ipc']
    : ['ignore', 'ignore', 'pipe'];
  const child = spawn(task.command, task.args, { env: task.env, stdio, detached: true });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-keptErrorCharacters);
  });
  if (task.onMessage) child.on('message', task.onMessage);
  const killTree = (): void => killGroup(child);
  process.once('exit', killTree);
  const stall = { reached: false };
  const watch = watchProgress(task, () => {
    stall.reached = true;
    killTree();
  });
  try {
    const code = await exitOf(child);
    if (stall.reached) throw new Error(`no progress for ${task.stallMs / 1000} s`);
    if (code !== 0) throw new Error(lastLine(errors) ?? `${path.basename(task.command)} ended with ${code}`);
  } finally {
    clearInterval(watch);
    process.removeListener('exit', killTree);
  }
}

function watchProgress(task: BoundedCommand, onStall: () => void): NodeJS.Timeout {
  let lastBytes = -1;
  let lastChange = performance.now();
  let looking = false;
  return setInterval(() => {
    if (looking) return;
    looking = true;
    void bytesBelow(task.folder).then((bytes) => {
      looking = false;
      if (bytes !== lastBytes) {
        lastBytes = bytes;
        lastChange = performance.now();
      } else if (performance.now() - lastChange > task.stallMs) onStall();
    });
  }, task.stallMs / LOOKS_PER_STALL);
}

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    // Files come and go while the command works: one that is gone counts as nothing.
    entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        stat(path.join(entry.parentPath, entry.name)).then(
          (file) => file.size,
          () => 0,
        ),
      ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function exitOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'an unknown exit'));
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Ended by itself in between.
  }
}

function lastLine(text: string): string | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').at(-1);
}
