import { afterAll, beforeAll, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { GUARD_INDEX, RESERVATIONS } from '../../src/reservations/reservations.model.ts';
import { integerBetween, mulberry32, propertySeed } from '../support/random.ts';
import { databaseUri, freshName } from '../support/service-environment.ts';

type Claim = { _id: number; venueId: string; cells: string[]; claimed: boolean };

const client = new mongoose.mongo.MongoClient(databaseUri(freshName()));
/** With the guard as it is, and as a collection sharded by venue could have it. */
const today = client.db().collection<Claim>('today');
const byVenue = client.db().collection<Claim>('by_venue');

beforeAll(async () => {
  const guard = RESERVATIONS.indexes.find(({ name }) => name === GUARD_INDEX);
  if (guard === undefined) throw new Error('There is no guard');
  await today.createIndexes([guard]);
  await byVenue.createIndexes([{ ...guard, key: { venueId: 1, ...guard.key } }]);
});
afterAll(async () => {
  await client.db().dropDatabase();
  await client.close();
});

/** Whether the guard refused it. */
async function isRefused(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return false;
  } catch (err) {
    if ((err as { code?: unknown }).code !== 11_000) throw err;
    return true;
  }
}

test('of one venue a guard by venue and cell refuses exactly what the guard by cell refuses', async () => {
  const random = mulberry32(propertySeed());
  const refused: boolean[] = [];
  for (let _id = 0; _id < 200; _id += 1) {
    const first = integerBetween(random, 0, 60);
    const cells = Array.from({ length: integerBetween(random, 1, 4) }, (_, step) => `court:${first + step}`);
    const claim: Claim = { _id, venueId: 'venue', cells, claimed: random() < 0.7 };
    const verdict = await isRefused(today.insertOne(claim));
    expect([claim, await isRefused(byVenue.insertOne(claim))]).toEqual([claim, verdict]);
    const changed = { _id: integerBetween(random, 0, _id) };
    const change = { $set: { claimed: random() < 0.3 } };
    const second = await isRefused(today.updateOne(changed, change));
    expect([changed, await isRefused(byVenue.updateOne(changed, change))]).toEqual([changed, second]);
    refused.push(verdict, second);
  }
  expect(refused).toContain(true);
  expect(refused).toContain(false);
});

test('control: a cell of two venues, which no space is, only the guard by cell refuses', async () => {
  const claims = ['venue-1', 'venue-2'].map((venueId, index) => ({
    ...{ _id: 1000 + index, venueId, cells: ['court:of-both'], claimed: true },
  }));
  const verdicts: boolean[][] = [];
  for (const claim of claims)
    verdicts.push([await isRefused(today.insertOne(claim)), await isRefused(byVenue.insertOne(claim))]);
  expect(verdicts).toEqual([
    [false, false],
    [true, false],
  ]);
});
