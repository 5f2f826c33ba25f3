import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { pythonEnvironment } from '../../scripts/python-environment.ts';
import { reasonToSkip } from '../docs/programs.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { anyPartner, anyVenue, freeSlotIds } from '../support/factories.ts';
import { startService } from '../support/service.ts';

const PACKAGES = { 'openapi-python-client': '0.29.1', mypy: '2.4.1' };
const INSTALL_TIMEOUT_MS = 300_000;
const program = new URL('./place_and_confirm.py', import.meta.url);
const description = new URL('../../docs/openapi.partner.json', import.meta.url);

const run = promisify(execFile);
type Run = (...args: string[]) => Promise<string>;
const skipped = await reasonToSkip({ python3: '--version' });
const service = await startService();

afterAll(() => service.stop());

type Change = (text: string) => string;
const asItIs: Change = (text) => text;

/** Python in a folder with the program and a client that was generated from the description, as the changes have left them. */
async function generate(inDescription = asItIs, inProgram = asItIs): Promise<Run> {
  const python = await pythonEnvironment(PACKAGES, process.env, () => undefined);
  const folder = await temporaryFolder();
  await writeFile(path.join(folder, 'openapi.json'), inDescription(await readFile(description, 'utf8')));
  await writeFile(path.join(folder, 'place_and_confirm.py'), inProgram(await readFile(program, 'utf8')));
  const runThere: Run = async (...args) => (await run(python, args, { cwd: folder })).stdout;
  const to = ['--output-path', 'generated', '--meta', 'none'];
  await runThere('-m', 'openapi_python_client', 'generate', '--path', 'openapi.json', ...to);
  return runThere;
}

const typeCheck = ['-m', 'mypy', '--strict', '--follow-imports=silent', 'place_and_confirm.py'];

const WRONG_BODY: Change = (text) => text.replace('body=PlaceHoldBySlotId(slot_id=slot_id)', 'body=slot_id');
const BARE_REQUIRED: Change = (text) =>
  JSON.stringify(JSON.parse(text)).replace(
    '"anyOf":[{"$ref":"#/components/schemas/PlaceHoldBySlotId"},{"$ref":"#/components/schemas/PlaceHoldByStart"}]',
    '"anyOf":[{"required":["slot_id"]}]',
  );

(skipped === '' ? describe : describe.skip)(`a client that openapi-python-client generates${skipped}`, () => {
  test(
    'books a slot, its types checked strictly',
    async () => {
      const runThere = await generate();
      const venue = await anyVenue(service);
      const partner = await anyPartner(service, [venue.id]);
      const [slotId = ''] = await freeSlotIds(partner, venue.id);

      expect(await runThere(...typeCheck)).toContain('no issues found');
      const told = await runThere('place_and_confirm.py', service.url, partner.apiKey, slotId);
      expect(told).toBe('SLOT_NOT_AVAILABLE held\nBOOKED\n');
    },
    INSTALL_TIMEOUT_MS,
  );

  test(
    'finds by its types a body that is none; control: of a bare required it makes types that do not',
    async () => {
      const typed = await generate(asItIs, WRONG_BODY);
      await expect(typed(...typeCheck)).rejects.toMatchObject({
        stdout: expect.stringContaining('Argument "body"') as unknown,
      });
      const untyped = await generate(BARE_REQUIRED, WRONG_BODY);
      expect(await untyped(...typeCheck)).toContain('no issues found');
    },
    INSTALL_TIMEOUT_MS,
  );
});
