import { rm } from 'node:fs/promises';
import path from 'node:path';
import express from 'express';
import { mountDocumentation } from '../../src/http/documentation.ts';
import { listen } from '../../src/http/listen.ts';
import { createLogger } from '../../src/platform/logger.ts';

/** Mounts the documentation in a folder (null: the project's); returns the log. */
export function logOfMounting(_context: unknown, folder: string | null): string {
  const lines: string[] = [];
  const log = createLogger('api', 'info', { write: (line: string) => void lines.push(line) });
  mountDocumentation(express(), log, folder ?? undefined);
  return lines.join('');
}

/** Serves the documentation in `folder`, deletes `vanishingFile` there, and returns the status of each path. */
export async function statusesIn(
  _context: unknown,
  folder: string,
  vanishingFile: string,
  paths: string[],
): Promise<number[]> {
  const app = express();
  mountDocumentation(app, createLogger('api', 'fatal'), folder);
  await rm(path.join(folder, vanishingFile));
  const { url, close } = await listen(app, '127.0.0.1', 0);
  try {
    const replies = paths.map((each) => fetch(url + each, { headers: { accept: 'text/html' } }));
    return (await Promise.all(replies)).map(({ status }) => status);
  } finally {
    await close();
  }
}
