import express from 'express';
import { mountDocumentation } from '../../src/http/documentation.ts';
import { createLogger } from '../../src/platform/logger.ts';

/** What is logged as the documentation in a folder is mounted, or that of this project. */
export function loggedWith(_context: unknown, folder: string | null): string {
  const lines: string[] = [];
  const log = createLogger('api', 'info', { write: (line: string) => void lines.push(line) });
  mountDocumentation(express(), log, folder ?? undefined);
  return lines.join('');
}
