import path from 'node:path';
import mongoose from 'mongoose';
import type { Run } from '../compare.ts';
import { runOf } from '../compare.ts';
import { endProcess, firstMessage, startScript } from '../processes.ts';
import { freshSlots } from '../rows/place-holds.ts';
import type { Bench } from '../rows/row.ts';

const SLOTS_PER_RUN = 14_000;

export type TextbookSettings = { mongodbUri: string; redisUrl: string; logFile: string };

export type Textbook = {
  clear: () => Promise<void>;
  /** A run that places holds at the venue of the product's runs, with as many callers. */
  placeHolds: () => Promise<Run>;
  stop: () => Promise<void>;
};

/** Starts the textbook service on the product's MongoDB and Redis, with its own collections, queues and partners. */
export async function startTextbook(bench: Bench): Promise<Textbook> {
  const { product, venue, partners } = bench;
  const { mongodbUri } = product;
  const db = await mongoose.createConnection(mongodbUri, { autoCreate: false }).asPromise();
  const collection = (name: string) => db.collection<{ _id: string }>(`textbook_${name}`);
  await collection('keys').insertMany(partners.map(({ id, apiKey }) => ({ _id: apiKey, partnerId: id })));
  await collection('grants').insertMany(partners.map(({ id }) => ({ _id: id, partnerId: id, venueId: venue.id })));
  await collection('resources').insertMany(
    venue.resources.map((_id) => ({ _id, venueId: venue.id, pricePaise: 120_000 })),
  );
  const child = startScript(new URL('./textbook-process.ts', import.meta.url));
  child.send({
    mongodbUri,
    redisUrl: redisDatabase(product.redisUrl),
    logFile: path.join(product.folder, 'textbook.log'),
  });
  const { port } = await firstMessage<{ port: number }>(child, 'the textbook service');
  const stop = async () => {
    await endProcess(child);
    await db.close();
  };
  bench.onStop(stop);
  return {
    stop,
    clear: async () => {
      await Promise.all(['holds', 'events'].map((name) => collection(name).deleteMany({})));
    },
    placeHolds: async () => {
      const params = { ...freshSlots(bench, SLOTS_PER_RUN), port };
      const { mongod = 0, redis = 0 } = product.pids();
      const pids = { textbook: child.pid ?? 0, mongod, redis };
      return runOf(await bench.callLimit({ step: 'place-hold', params }, pids), '201');
    },
  };
}

/** Another Redis database, so that the textbook's keys do not mix with the product's. */
function redisDatabase(redisUrl: string): string {
  const url = new URL(redisUrl);
  url.pathname = '/1';
  return url.toString();
}
