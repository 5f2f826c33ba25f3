/** Initiates the embedded mongod: its replica set, and the user of the service. */

import mongoose from 'mongoose';
import { type ServerCredentials, serverUser } from './server-process.ts';
import { until } from './until.ts';

const primaryTimeoutMs = 30_000;
const alreadyInitialized = 23;
const userExists = 51_003;

/**
 * Initiates the replica set if necessary, waits for its primary and, with `credentials`, creates or updates their user.
 */
export async function prepareReplicaSet(
  name: string,
  port: number,
  database: string,
  credentials: ServerCredentials | undefined,
): Promise<void> {
  const client = new mongoose.mongo.MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    // Signs in with the key of the set's members, which allows everything and works before any user exists.
    ...(credentials && {
      auth: { username: '__system', password: credentials.mongodbKey },
      authSource: 'local',
      authMechanism: 'SCRAM-SHA-256' as const,
    }),
  });
  try {
    const admin = client.db('admin');
    const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
    const config = { _id: name, members, settings: { electionTimeoutMillis: 5000 } };
    await unlessCode(alreadyInitialized, admin.command({ replSetInitiate: config }));
    const isPrimary = async () => (await admin.command({ hello: 1 }))['isWritablePrimary'] === true;
    await until('it is primary', isPrimary, primaryTimeoutMs);
    if (credentials === undefined) return;
    const db = client.db(database);
    const rights = { pwd: credentials.mongodbPassword, roles: ['readWrite', 'dbAdmin'] };
    const isNew = await unlessCode(userExists, db.command({ createUser: serverUser, ...rights }));
    if (!isNew) await db.command({ updateUser: serverUser, ...rights });
  } finally {
    await client.close();
  }
}

/** Whether the command succeeds; false if it fails with `code`. */
async function unlessCode(code: number, command: Promise<unknown>): Promise<boolean> {
  try {
    await command;
    return true;
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoServerError && error.code === code) return false;
    throw error;
  }
}
