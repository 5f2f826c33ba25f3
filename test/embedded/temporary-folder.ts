import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from '@jest/globals';

/** A new folder below the system's temporary one, deleted after the test file. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'partner-booking-test-'));
  createdFolders.push(folder);
  return folder;
}

const createdFolders: string[] = [];
afterAll(async () => {
  for (const folder of createdFolders) await rm(folder, { recursive: true, force: true });
});

/** Writes an executable shell script; returns its path. */
export async function writeProgram(folder: string, name: string, script: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}
