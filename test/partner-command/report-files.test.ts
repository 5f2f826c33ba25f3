import { link, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { writeReport } from '../../packages/client/src/cli/report-files.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { partner } from './partner.ts';

const PROFILE = JSON.stringify({
  name: 'Box Office',
  actions: { url: 'http://127.0.0.1:4000/certification' },
  webhook_url: 'http://127.0.0.1:4000/webhooks',
  proxy_port: 4010,
});

let folder: string;
const at = (name: string) => path.join(folder, name);
beforeEach(async () => {
  folder = await temporaryFolder();
  await writeFile(at('profile.json'), PROFILE);
});

/** Nothing listens there, so no run begins. */
const NOBODY = { url: 'http://127.0.0.1:1023', apiKey: 'pk_sandbox_any' };
const certify = (...args: string[]) => partner(NOBODY, ['certify', '--profile', at('profile.json'), ...args]);

test('a report path is wrong usage if it leads to another file of the command, or cannot be written', async () => {
  await writeFile(at('key'), 'pk_sandbox_any');
  await symlink(folder, at('same'));
  await link(at('profile.json'), at('linked.json'));
  const wrong: [string[], string][] = [
    [['--report-json', at('profile.json')], '--report-json: '],
    [['--report-html', at('linked.json')], '--report-html: '],
    [['--report-json', at('key'), '--key-file', at('key')], '--report-json: '],
    [['--report-json', at('report'), '--report-html', at('same/report')], '--report-html: '],
    [['--report-json', ''], '--report-json is empty'],
    [['--report-json', folder], `--report-json: ${folder} is a folder`],
    [['--report-json', at('none/report')], 'cannot be written (ENOENT)'],
  ];
  for (const [args, message] of wrong) {
    const { code, err } = await certify(...args);
    expect([args, code, err]).toEqual([args, 2, expect.stringContaining(message)]);
  }
  expect(await readFile(at('profile.json'), 'utf8')).toBe(PROFILE);
});

test('a run that does not begin leaves no report, and does not change an existing one', async () => {
  await writeFile(at('old.html'), 'of the last run');
  const { code } = await certify('--report-json', at('report.json'), '--report-html', at('old.html'));
  expect([code, (await readdir(folder)).toSorted()]).toEqual([3, ['old.html', 'profile.json']]);
  expect(await readFile(at('old.html'), 'utf8')).toBe('of the last run');
});

test('a report replaces the target of a link, and leaves no other file', async () => {
  await symlink(at('target'), at('link'));
  await writeFile(at('target'), 'of the last run');
  await writeReport(['--report-json', at('link')], 'new');
  expect(await readFile(at('target'), 'utf8')).toBe('new');
  expect((await readdir(folder)).toSorted()).toEqual(['link', 'profile.json', 'target']);
});
