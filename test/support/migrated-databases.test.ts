import { afterAll, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { anyVenue } from './factories.ts';
import { createMigratedDatabases } from './migrated-databases.ts';
import { databaseUri, SHARED_NAME } from './service-environment.ts';
import { hostedService } from './service-host.ts';

const client = new mongoose.mongo.MongoClient(databaseUri(SHARED_NAME));
const databases = createMigratedDatabases(client, SHARED_NAME);
afterAll(() => client.close());

/** The name of a database that a service has written into, and that nobody has now. */
async function usedDatabase(): Promise<string> {
  const service = await hostedService();
  await anyVenue(service);
  await service.stop({ keepsDatabase: true });
  return new URL(service.environment['MONGODB_URI'] ?? '').pathname.slice(1);
}

const documentsIn = async (name: string) => {
  const collections = await client.db(name).collections();
  return Promise.all(collections.map(async (each) => each.countDocuments()));
};

test('a database that is given back is taken by the next, with its indexes and without a document', async () => {
  const name = await usedDatabase();
  expect(Math.max(...(await documentsIn(name)))).toBeGreaterThan(0);
  await databases.giveBack(name);
  expect(databases.take()).toEqual({ name, isMigrated: true });
  expect(databases.take()).toMatchObject({ isMigrated: false });
  expect(new Set(await documentsIn(name))).toEqual(new Set([0]));
  await client.db(name).dropDatabase();
});

test.each([
  ['an index more', { createIndexes: 'venues', indexes: [{ key: { more: 1 }, name: 'more' }] }],
  ['an index less', { dropIndexes: 'reservations', index: 'one_claim_per_cell' }],
  ['a validator less', { collMod: 'reservations', validator: {} }],
  ['a profiler that writes', { profile: 2 }],
  ['a collection more', { create: 'more' }],
])('with %s it is dropped', async (_what, command) => {
  const name = await usedDatabase();
  await client.db(name).command(command);
  await databases.giveBack(name);
  expect(databases.take()).toMatchObject({ isMigrated: false });
  expect(await documentsIn(name)).toEqual([]);
});
