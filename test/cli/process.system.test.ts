import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { projectFolder } from '../architecture/planted-tree.ts';
import { reasonToSkip } from '../docs/programs.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { startService } from '../support/service.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { programArguments } from '../support/worker-process.ts';
import type { Ended } from './operator.ts';
import { net, venueFile } from './venue-files.ts';

const service = await startService();
afterAll(() => service.stop());

const ESCAPE = '\u001b';

const COMMAND = [process.execPath, ...programArguments('src/cli/operator.ts')].join(' ');

/** Runs a shell line in which `operator` is the command line. */
function shell(line: string, environment: Record<string, string> = {}): Promise<Ended> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, OPERATOR_URL: service.adminUrl, OPERATOR_API_KEY: OPERATOR_KEY, ...environment };
  const script = `set -o pipefail; ${line.replaceAll('operator', COMMAND)}`;
  return new Promise((resolve) => {
    execFile('bash', ['-c', script], { cwd: projectFolder, env, maxBuffer: 10_000_000 }, (failure, out, err) => {
      resolve({ code: failure === null ? 0 : Number(failure.code), out, err });
    });
  });
}

/** A file of this venue with one resource and its price rule, which takes 4 steps to import. */
async function fileOf(venue: string): Promise<string> {
  const file = path.join(await temporaryFolder(), `${venue}.yaml`);
  await writeFile(file, venueFile(venue, net('Net 1', '        price_rules: [{ name: Evenings, price_rupees: 600 }]')));
  return file;
}

describe('as a process', () => {
  test('a command ends with the code of the outcome, and pipes only the response, without colours', async () => {
    const listed = await shell('operator venue list --json');
    expect([listed.code, listed.err]).toEqual([0, '']);
    expect(JSON.parse(listed.out)).toEqual({ success: true, count: 0, data: [], next_cursor: null });
    const file = await fileOf('Barn');
    const imported = await shell(`operator import ${file}; operator venue list; operator venue show none`);
    expect(imported.code).toBe(1);
    expect(imported.out).toContain('Done: all 4 steps.\nvenue_id ');
    const printed = imported.out + imported.err;
    expect([ESCAPE, '\r', '█'].filter((each) => printed.includes(each))).toEqual([]);
    expect(imported.err).toMatch(/^error: There is no venue with that id\.\n\(VENUE_NOT_FOUND, 404, request \S+\)\n$/);
  });

  test('a reader that closes the pipe is no failure', async () => {
    expect(await shell('operator api describe | head -n 1')).toEqual({ code: 0, out: '{\n', err: '' });
  });

  test('a full disk is a failure', async () => {
    expect(await shell('operator api describe > /dev/full')).toEqual({
      code: 1,
      out: '',
      err: 'error: The output cannot be written (ENOSPC).\n',
    });
  });
});

const withoutScript = await reasonToSkip({ script: '--version' });
const describeOrSkip = withoutScript === '' ? describe : describe.skip;

describeOrSkip(`on a terminal${withoutScript}`, () => {
  // `script` runs a command on its own terminal.
  const onTerminal = (line: string, environment: Record<string, string> = {}) =>
    shell(`script -qec "${line}" /dev/null < /dev/null`, { TERM: 'xterm', ...environment });

  test('an import shows its progress, with colours only if they are wanted', async () => {
    const shown = await onTerminal(`operator import ${await fileOf('Shed')}`);
    expect(shown.code).toBe(0);
    expect(shown.out).toMatch(/[█░]+ \d+\/4 /);
    expect(shown.out).toContain(`${ESCAPE}[1mShed, Pune`);
    expect(shown.out).toMatch(/Done: all 4 steps\.\r?\n$/);
    const plain = await onTerminal(`operator import ${await fileOf('Hut')}`, { NO_COLOR: '1' });
    expect(plain.out).toContain('Done: all 4 steps.');
    expect([ESCAPE, '█', '░'].filter((each) => plain.out.includes(each))).toEqual([]);
  });
});
