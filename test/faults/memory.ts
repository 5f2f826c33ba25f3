import { readFileSync } from 'node:fs';

/** The resident memory of a process in MB (Linux). */
export function residentMb(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kilobytes === undefined) throw new Error(`Process ${pid} has no resident memory`);
  return Math.round(Number(kilobytes) / 1024);
}
