/** Child processes of Node, and what the system knows of a process: more under Linux, from /proc, than elsewhere. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** True when a process of this number runs, whoever owns it; one that has ended but is not yet reaped does not. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || statFields(pid)?.[0] === 'Z') return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}

/** Tells apart two processes that had the same number: clock ticks since the machine's start; `-` without /proc. */
export function startedAt(pid: number): string {
  // Field 22; counted from behind the name in parentheses, which may hold spaces itself.
  return statFields(pid)?.[19] ?? '-';
}

/** The parent of a process, undefined where the system does not say or the process is gone. */
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

/** Arguments for `process.execPath` that run `file`: plain for JavaScript, through tsx for TypeScript. */
export function nodeArguments(file: string): string[] {
  if (!file.endsWith('.ts')) return [file];
  const tsx = createRequire(import.meta.url).resolve('tsx');
  return ['--import', pathToFileURL(tsx).href, file];
}

/** True for a system error with this code, such as `ENOENT`, also one of another realm, as under jest. */
export function isCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
