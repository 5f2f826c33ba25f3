import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../support/own-servers.ts';
import { databaseUri, freshName } from '../support/service-environment.ts';
import { endProcesses, startProcess } from '../support/worker-process.ts';

let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  await writeFile(path.join(folder, 'manifest.json'), '{"format": 1');
});
afterAll(endProcesses);

describe('a command with wrong arguments ends with 1 and a sentence, without a stack', () => {
  test.each<[file: string, args: string[], sentence: RegExp]>([
    ['src/main/restore-archive.ts', ['--nonsense'], /Unknown option '--nonsense'[^]*Usage: .*\/restore-archive\.js/],
    ['src/main/restore-archive.ts', [], /There is no archive: give --from, or set ARCHIVE_URL/],
    ['src/main/restore-archive.ts', ['--from', 'file://host/x'], /--from must be file:\/\/\/folder/],
    ['src/main/restore-archive.ts', ['--from', 's3://abc/d'], /needs ARCHIVE_ACCESS_KEY_ID/],
    ['src/main/restore-archive.ts', ['--from', 'file:///tmp', '--since', 'never'], /--since never is not an instant/],
    ['src/main/backup.ts', ['--to', '/dev/null/x'], /The folder \/dev\/null\/x cannot be written/],
    ['src/main/restore.ts', ['--from', 'FOLDER'], /The manifest.json in .* is damaged/],
    ['src/main/restore.ts', ['--from', '/nonexistent'], /The folder \/nonexistent has no manifest.json/],
    ['src/main/migrate.ts', ['--status', '--dry-run'], /Give --status or --dry-run, not both/],
    ['src/main/restore-archive.ts', ['--from', 'file:///nonexistent'], /--from must be an existing folder/],
    ['src/main/moved-bookings.ts', [], /Give either --save or --compare[^]*Usage: .*\/main\/moved-bookings\.js/],
    ['workers/hold-expiry.ts', ['now'], /Unexpected argument 'now'[^]*Usage: npm run start:hold-expiry/],
  ])('%s %j', async (file, args, sentence) => {
    const environment = { MONGODB_URI: databaseUri(freshName()) };
    const given = args.map((each) => (each === 'FOLDER' ? folder : each));
    const process = startProcess(file, environment, given);
    expect((await process.exited).code).toBe(1);
    expect(process.output()).toMatch(sentence);
    expect(process.output()).not.toMatch(/\n\s+at |"stack"/);
  });
});
