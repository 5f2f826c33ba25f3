import path from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Outcome, PlantedTree } from './planted-tree.ts';
import { plantTree, projectFolder, runNode } from './planted-tree.ts';

const script = path.join(projectFolder, 'scripts/check-dependency-rules.mjs');

const LAWFUL = {
  'workers/hold-expiry.ts': 'export const one = 1;\n',
  'src/catalog/venues/venues.store.ts': 'export const findVenue = 1;\nexport const saveVenue = 1;\n',
  'src/catalog/venues/venues.service.ts':
    "import { saveVenue } from './venues.store.ts';\nexport const save = saveVenue;\n",
  'src/booking/bookings/bookings.service.ts':
    "import { findVenue } from '../../catalog/venues/venues.store.ts';\nexport const find = findVenue;\n",
};

let tree: PlantedTree;
afterEach(() => tree.remove());

async function check(files: Record<string, string>): Promise<Outcome> {
  tree = await plantTree({ ...LAWFUL, ...files });
  return runNode(tree.folder, [script]);
}

describe('the check of dependencies', () => {
  test('passes where every import is lawful', async () => {
    const output: unknown = expect.stringContaining('no dependency violations found');
    expect(await check({})).toEqual({ exitCode: 0, output });
  });

  test('fails by a rule of .dependency-cruiser.cjs, also where only a type is imported', async () => {
    const outcome = await check({
      'src/catalog/venues/venues.rules.ts':
        "import type {} from './venues.store.ts';\nexport const one = 1;\n",
    });
    expect(outcome.output).toContain('error rules-are-pure: src/catalog/venues/venues.rules.ts →');
    expect(outcome.exitCode).toBe(1);
  });

  test.each([
    ['import { findVenue, saveVenue }', 'saveVenue'],
    ['import { saveVenue as findIt }', 'saveVenue'],
    ['import * as venues', '*'],
    ['export { saveVenue }', 'saveVenue'],
    ['export *', '*'],
  ])("fails where a component says %s of another's store", async (statement, written) => {
    const outcome = await check({
      'src/booking/bookings/renaming.ts': `${statement} from '../../catalog/venues/venues.store.ts';\n`,
    });
    const broken = `src/booking/bookings/renaming.ts → ${written} of src/catalog/venues/venues.store.ts`;
    expect(outcome.output).toContain(`error writes-only-its-own-store: ${broken}`);
    expect(outcome.exitCode).toBe(1);
  });

  test('fails at a source file that the parser does not read', async () => {
    const { exitCode, output } = await check({
      'src/catalog/venues/unread.mts': "import './venues.store.ts';\n",
    });
    expect(output).toContain('not read: src/catalog/venues/unread.mts');
    expect(exitCode).toBe(1);
  });
});
