import path from 'node:path';
import mongoose from 'mongoose';
import type { Run } from '../compare.ts';
import { runOf } from '../compare.ts';
import { endProcess, firstMessage, startScript } from '../processes.ts';
import { slotCount } from '../product/slots.ts';
import type { Bench } from '../rows/row.ts';

export type TextbookSettings = { mongodbUri: string; redisUrl: string; log: string };

export type Textbook = {
  clear: () => Promise<void>;
  /** A run like the product's: the same venue and as many callers. */
  placeHolds: () => Promise<Run>;
  stop: () => Promise<void>;
};

/** Starts the textbook service on the product's stores, with its own collections, queues and copies of the partners. */
export async function startTextbook(bench: Bench): Promise<Textbook> {
  const { product, venue, partners, apiKeys } = bench;
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
    log: path.join(product.folder, 'textbook.log'),
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
      const first = bench.takeSlots(slotCount(venue) / 2) % slotCount(venue);
      const params = { port, apiKeys, venue, first };
      const { mongod = 0, redis = 0 } = product.pids();
      const pids = { textbook: child.pid ?? 0, mongod, redis };
      return runOf(await bench.callLimit({ step: 'place-hold', params }, pids), '201');
    },
  };
}

/** Another database of the server, so that no process takes its keys for the product's. */
function redisDatabase(redisUrl: string): string {
  const url = new URL(redisUrl);
  url.pathname = '/1';
  return url.toString();
}
