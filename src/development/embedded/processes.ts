/** Child processes of Node, and facts about processes; Linux (/proc) shows more than other systems. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Whether a process of this number runs, of any user; zombies do not count. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || statFields(pid)?.[0] === 'Z') return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}

/** The start time in clock ticks, which differs between processes with the same number; `-` without /proc. */
export function startedAt(pid: number): string {
  // Field 22 of the line. `statFields` begins with field 3, after the name in parentheses, which may contain spaces.
  return statFields(pid)?.[19] ?? '-';
}

export function parentOf(pid: number): number | undefined {
  const parent = statFields(pid)?.[1];
  return parent === undefined ? undefined : Number(parent);
}

function statFields(pid: number): string[] | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return line.slice(line.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** Arguments for `process.execPath` that run `file`; TypeScript runs through tsx. */
export function nodeArguments(file: string): string[] {
  if (!file.endsWith('.ts')) return [file];
  const tsx = createRequire(import.meta.url).resolve('tsx');
  return ['--import', pathToFileURL(tsx).href, file];
}

/** Whether `error` is a system error with this code, such as `ENOENT`. */
export const isCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;
