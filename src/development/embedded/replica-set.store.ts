/** What an embedded mongod is told once it runs: its replica set, and the user of the service. */

import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import { type ServerCredentials, serverUser } from './server-process.ts';

const primaryTimeoutMs = 30_000;
const alreadyInitialized = 23;
const userExists = 51_003;

/**
 * Makes the replica set of one unless the data folder has it already, and waits until its member is primary. With
 * `credentials` it also sees to it that their user exists, with their password and no rights beyond the database.
 */
export async function prepareReplicaSet(
  name: string,
  port: number,
  database: string,
  credentials: ServerCredentials | undefined,
): Promise<void> {
  const client = new mongoose.mongo.MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    // As a member signs in to its own set, with the key that all members have: it may do everything, and needs no user.
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
    const deadline = performance.now() + primaryTimeoutMs;
    while (!(await admin.command({ hello: 1 }))['isWritablePrimary']) {
      if (performance.now() > deadline) throw new Error('it has not become primary');
      await wait(20);
    }
    if (credentials === undefined) return;
    const db = client.db(database);
    const rights = { pwd: credentials.mongodbPassword, roles: ['readWrite', 'dbAdmin'] };
    const isNew = await unlessCode(userExists, db.command({ createUser: serverUser, ...rights }));
    if (!isNew) await db.command({ updateUser: serverUser, ...rights });
  } finally {
    await client.close();
  }
}

/** False where it failed with this code of the server. */
async function unlessCode(code: number, command: Promise<unknown>): Promise<boolean> {
  try {
    await command;
    return true;
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoServerError && error.code === code) return false;
    throw error;
  }
}
