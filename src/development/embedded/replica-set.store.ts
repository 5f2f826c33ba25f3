/** What an embedded mongod is told once it runs: its replica set, and the user of the service. */

import mongoose from 'mongoose';

type Client = mongoose.mongo.MongoClient;
/** Of the driver's options those that sign in; its own type differs between the versions of it that there are. */
type SignIn =
  | Record<string, never>
  | { auth: { username: string; password: string }; authSource: string; authMechanism: 'SCRAM-SHA-256' };

const alreadyInitialized = 23;
const userExists = 51_003;

/** How a member signs in to its own set, with the key that all members have; it may do everything, and needs no user. */
export function memberSignIn(key: string): SignIn {
  return {
    auth: { username: '__system', password: key },
    authSource: 'local',
    authMechanism: 'SCRAM-SHA-256',
  };
}

/** A connection to this one mongod, whether or not it is a primary; the caller closes it. */
export function directClient(port: number, signIn: SignIn): Client {
  return new mongoose.mongo.MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, signIn);
}

/** Makes the replica set of one, unless the data folder has it already. */
export async function initiateReplicaSet(client: Client, name: string, port: number): Promise<void> {
  const config = {
    _id: name,
    members: [{ _id: 0, host: `127.0.0.1:${port}` }],
    settings: { electionTimeoutMillis: 5000 },
  };
  await unlessCode(alreadyInitialized, client.db('admin').command({ replSetInitiate: config }));
}

/** Sees to it that the user of this database exists, with this password and no rights beyond the database. */
export async function ensureUser(
  client: Client,
  database: string,
  user: string,
  password: string,
): Promise<void> {
  const db = client.db(database);
  const rights = { pwd: password, roles: ['readWrite', 'dbAdmin'] };
  const isNew = await unlessCode(userExists, db.command({ createUser: user, ...rights }));
  if (!isNew) await db.command({ updateUser: user, ...rights });
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
