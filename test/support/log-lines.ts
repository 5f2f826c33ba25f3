import type { LogLine } from './worker-process.ts';

/** The lines of a log with this message. */
export function linesOf(logs: string, message: string): LogLine[] {
  const lines = logs.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as LogLine).filter((line) => line['msg'] === message);
}
