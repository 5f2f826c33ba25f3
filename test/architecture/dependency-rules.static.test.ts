import { createRequire } from 'node:module';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Outcome, PlantedTree } from './planted-tree.ts';
import { plantTree, projectFolder, runNode } from './planted-tree.ts';

const script = path.join(projectFolder, 'scripts/check-dependency-rules.mjs');
const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  forbidden: { name: string }[];
};

/** What every tree needs so that the planted imports lead somewhere, and what all of it may do. */
const lawful = {
  'src/api.ts': "import './apps/partner-app.ts';\nimport './process/context.ts';\n",
  'src/development/start.ts': "import './embedded/servers.ts';\n",
  'src/development/embedded/servers.ts':
    "import 'mongodb-memory-server';\nimport '../../platform/mongo.ts';\n",
  'src/process/context.ts':
    "import '../platform/mongo.ts';\nimport '../http/route.ts';\nimport '../queues/queues.ts';\n",
  'src/apps/partner-app.ts': "import 'express';\nimport '../bookings/bookings.router.ts';\n",
  'src/apps/admin-app.ts': "import 'express';\nimport '../console/page.tsx';\n",
  'src/http/route.ts': "import 'express';\nimport '../platform/mongo.ts';\nimport '../domain/errors.ts';\n",
  'src/domain/errors.ts': 'export const code = 1;\n',
  'src/platform/mongo.ts': "import 'mongoose';\nexport type Db = { id: string };\n",
  'src/queues/queues.ts': "import 'bullmq';\n",
  'src/console/page.tsx': "import '../venues/venues.service.ts';\nexport const page = <p>Text</p>;\n",
  'src/operators/queue-board.ts': "import '@bull-board/express';\n",
  'src/reservations/event-types.ts': 'export type Event = { id: string };\n',
  'src/bookings/bookings.router.ts':
    "import 'express';\nimport './bookings.schemas.ts';\nimport './bookings.service.ts';\nimport '../http/route.ts';\n",
  'src/bookings/bookings.schemas.ts': "import 'joi';\nimport '../venues/venues.schemas.ts';\n",
  'src/bookings/bookings.service.ts':
    "import './bookings.rules.ts';\nimport '../venues/venues.service.ts';\nimport { findVenue } from '../venues/venues.store.ts';\n" +
    "import type { Written } from '../venues/venues.store.ts';\nimport { type Written as Row } from '../venues/venues.store.ts';\n" +
    "import { insertHold } from '../reservations/reservations.store.ts';\n" +
    "import type { Event } from '../reservations/event-types.ts';\n" +
    'export type Booked = Event & Written & Row;\nexport const found = [findVenue, insertHold];\n',
  'src/bookings/bookings.rules.ts': "import '../venues/venues.rules.ts';\n",
  'src/reservations/reservations.store.ts':
    "import './reservations.model.ts';\nimport '../platform/mongo.ts';\nexport const insertHold = 1;\n",
  'src/reservations/reservations.model.ts': "import 'mongoose';\n",
  'src/venues/venues.schemas.ts': "import 'joi';\n",
  'src/venues/venues.service.ts':
    "import { saveVenue } from './venues.store.ts';\nexport const save = saveVenue;\n",
  'src/venues/venues.store.ts':
    "import './venues.model.ts';\nexport type Written = { at: Date };\nexport const findVenue = 1;\nexport const saveVenue = 1;\n",
  'src/venues/venues.model.ts': "import 'mongoose';\n",
  'src/venues/venues.rules.ts': 'export const one = 1;\n',
  'bench/statistics.ts': 'export const median = 1;\n',
  'test/support/eventually.ts': 'export const eventually = 1;\n',
  'workers/hold-expiry.ts': "import 'bullmq';\nimport '../src/process/context.ts';\n",
};

/** For every rule of .dependency-cruiser.cjs, the files that break it: path → what is imported. */
const violations: Record<string, Record<string, string[]>> = {
  'no-cycles': {
    'src/platform/ring-a.ts': ['./ring-b.ts'],
    'src/platform/ring-b.ts': ['./ring-a.ts'],
  },
  // Four files, of which none is in a circle.
  'no-folder-cycles': {
    'src/audit/above.ts': ['../sandbox/below.ts'],
    'src/audit/below.ts': [],
    'src/sandbox/above.ts': ['../audit/below.ts'],
    'src/sandbox/below.ts': [],
  },
  'no-unresolvable': { 'src/platform/dangling.ts': ['./nowhere.ts'] },
  'no-dev-dependencies-in-production': { 'src/platform/dev.ts': ['tsx'], 'workers/dev.ts': ['tsx'] },
  'router-calls-services-only': { 'src/venues/hasty.router.ts': ['./venues.store.ts'] },
  'service-knows-no-transport': {
    'src/venues/express.service.ts': ['express'],
    'src/venues/joi.service.ts': ['joi'],
    'src/venues/mongoose.service.ts': ['mongoose'],
    'src/venues/http.service.ts': ['../http/route.ts'],
    'src/bookings/schemas.service.ts': ['./bookings.schemas.ts'],
    'src/bookings/foreign-schemas.service.ts': ['../venues/venues.schemas.ts'],
  },
  'store-knows-no-caller': {
    'src/venues/upward.store.ts': ['./venues.service.ts'],
    'src/venues/joi.store.ts': ['joi'],
  },
  'model-knows-no-caller': { 'src/venues/upward.model.ts': ['./venues.store.ts'] },
  'rules-are-pure': {
    'src/venues/express.rules.ts': ['express'],
    'src/venues/joi.rules.ts': ['joi'],
    'src/venues/mongoose.rules.ts': ['mongoose'],
    'src/venues/store.rules.ts': ['./venues.store.ts'],
    'src/venues/platform.rules.ts': ['../platform/mongo.ts'],
    'src/venues/queues.rules.ts': ['../queues/queues.ts'],
  },
  'mongoose-in-stores-and-models': { 'src/platform/second.ts': ['mongoose'], 'src/migrate.ts': ['mongoose'] },
  'bullmq-in-queues-and-workers': { 'src/deliveries/eager.ts': ['bullmq'] },
  'bull-board-in-operators': { 'src/deliveries/board.ts': ['@bull-board/api'] },
  'embedded-servers-in-embedded-mode': { 'src/platform/embedded.ts': ['redis-memory-server'] },
  'routers-are-mounted-by-the-apps': { 'src/bookings/mount.ts': ['./bookings.router.ts'] },
  'apps-are-started-by-the-api': { 'src/second-api.ts': ['./apps/partner-app.ts'] },
  'workers-know-no-http': { 'workers/http.ts': ['../src/http/route.ts'], 'workers/express.ts': ['express'] },
  'platform-knows-no-component': {
    'src/platform/nosy.ts': ['../venues/venues.rules.ts'],
    'src/platform/worldly.ts': ['../domain/errors.ts'],
  },
  'http-knows-no-component': {
    'src/http/nosy.ts': ['../venues/venues.service.ts'],
    'src/http/queueing.ts': ['../queues/queues.ts'],
  },
  'embedded-knows-no-component': { 'src/development/embedded/nosy.ts': ['../../venues/venues.service.ts'] },
  'tools-are-not-used-by-the-product': {
    'src/platform/measured.ts': ['../../bench/statistics.ts'],
    'workers/tested.ts': ['../test/support/eventually.ts'],
  },
  'development-is-used-by-itself-only': { 'src/migrations.ts': ['./development/embedded/servers.ts'] },
};

/** Where a rule is reported: at the folder, if it is about folders. */
const reportedAt = (rule: string, file: string) =>
  rule === 'no-folder-cycles' ? path.posix.dirname(file) : file;

const typeOnly = (specifier: string): string => `import type {} from '${specifier}';\n`;
const atRunTime = (specifier: string): string => `import '${specifier}';\n`;

function filesOf(written: (specifier: string) => string): Record<string, string> {
  const files = Object.values(violations).flatMap((planted) => Object.entries(planted));
  return Object.fromEntries(files.map(([file, imports]) => [file, imports.map(written).join('')]));
}

const trees: PlantedTree[] = [];
async function check(files: Record<string, string>, nodeFlags: string[] = []): Promise<Outcome> {
  const tree = await plantTree({ ...lawful, ...files });
  trees.push(tree);
  return runNode(tree.folder, [...nodeFlags, script]);
}
afterAll(() => Promise.all(trees.map((tree) => tree.remove())));

describe.each([
  ['a value', atRunTime],
  ['only a type', typeOnly],
])('when a forbidden import brings in %s', (_what, written) => {
  let outcome: Outcome;
  beforeAll(async () => {
    outcome = await check(filesOf(written));
  });

  test.each(Object.entries(violations))('%s catches it and fails the check', (rule, planted) => {
    expect(outcome.exitCode).toBe(1);
    for (const file of Object.keys(planted)) {
      expect(outcome.output).toContain(`error ${rule}: ${reportedAt(rule, file)} →`);
    }
  });

  test('files that are in no circle are not taken for one, whatever their folders are', () => {
    expect(outcome.output).not.toMatch(/error no-cycles: src\/(audit|sandbox)/);
  });
});

test('every rule has its planted violation', () => {
  expect(Object.keys(violations).toSorted()).toEqual(forbidden.map(({ name }) => name).toSorted());
});

describe('when a component imports what writes from the store of another', () => {
  const read = "{ findVenue } from '../venues/venues.store.ts'";
  let outcome: Outcome;
  beforeAll(async () => {
    outcome = await check({
      'src/console/saving-page.tsx': `import { findVenue, saveVenue } from '../venues/venues.store.ts';\n`,
      'src/bookings/renaming.service.ts': `import { saveVenue as findIt } from '../venues/venues.store.ts';\n`,
      'src/bookings/whole.service.ts': `import * as venues from '../venues/venues.store.ts';\n`,
      'src/bookings/passing.ts': `export { saveVenue } from '../venues/venues.store.ts';\n`,
      'src/bookings/passing-all.ts': `export * from '../venues/venues.store.ts';\n`,
      'src/packages/selling.service.ts': `import { insertHold } from '../reservations/reservations.store.ts';\n`,
      'src/packages/reading.service.ts': `import ${read};\nexport ${read};\n`,
      'src/database/migration.ts': `import { saveVenue } from '../venues/venues.store.ts';\n`,
    });
  });

  test('the check fails and names who writes what', () => {
    expect(outcome.output.match(/error writes-only-its-own-store: .*/g)?.toSorted()).toEqual([
      'error writes-only-its-own-store: src/bookings/passing-all.ts → * of src/venues/venues.store.ts',
      'error writes-only-its-own-store: src/bookings/passing.ts → saveVenue of src/venues/venues.store.ts',
      'error writes-only-its-own-store: src/bookings/renaming.service.ts → saveVenue of src/venues/venues.store.ts',
      'error writes-only-its-own-store: src/bookings/whole.service.ts → * of src/venues/venues.store.ts',
      'error writes-only-its-own-store: src/console/saving-page.tsx → saveVenue of src/venues/venues.store.ts',
      'error writes-only-its-own-store: src/packages/selling.service.ts → insertHold of src/reservations/reservations.store.ts',
    ]);
    expect(outcome.output).toContain('no dependency violations found');
    expect(outcome.exitCode).toBe(1);
  });
});

test('when every import is lawful, the check passes', async () => {
  expect(await check({})).toEqual({
    exitCode: 0,
    output: expect.stringContaining('no dependency violations found'),
  });
});

test('when a source file is of a kind that the parser does not read, the check fails', async () => {
  const { exitCode, output } = await check({
    'src/venues/unread.mts': "import '../holds/holds.store.ts';\n",
  });
  expect(output).toContain('no dependency violations found');
  expect(output).toContain('not read: src/venues/unread.mts');
  expect(exitCode).toBe(1);
});

test('when the parser cannot be loaded, the check fails instead of reading less', async () => {
  const hideParser = `export const resolve = (specifier, context, next) => {
    if (specifier.startsWith('@swc/core')) throw new Error('no parser');
    return next(specifier, context);
  };`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hideParser))});`;
  const { exitCode, output } = await check({}, ['--import', dataUrl(register)]);
  expect(output).toContain('no parser');
  expect(exitCode).toBe(1);
});

test('this project keeps its own rules, and all of it is read', async () => {
  const { exitCode, output } = await runNode(projectFolder, [script]);
  expect({ exitCode, output }).toEqual({
    exitCode: 0,
    output: expect.stringContaining('no dependency violations'),
  });
  expect(Number(/(\d+) of \d+ source files read/.exec(output)?.[1])).toBeGreaterThan(100);
});

function dataUrl(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
