import { createRequire } from 'node:module';
import type mongoose from 'mongoose';
import { type Client, createClient } from './client.ts';
import type { Stored } from './rows.ts';
import type { ServiceCalls } from './service-calls.ts';
import { databaseUri, freshName, type Listeners, runSetting, SHARED_NAME } from './service-environment.ts';

export type HostedOptions = {
  /** Environment variables of the service. */
  overrides?: Record<string, string>;
  /** Starts one worker of each kind. */
  hasWorkers?: boolean;
  /**
   * No other process uses the database, so changes do not wait until other processes' leases end. For suites that make
   * many changes but no race with them; the suites that use leases.ts test the wait.
   */
  isAlone?: boolean;
};

/** A service in the host's process (service-host-process.ts), for suites that load no code of the service. */
export type SharedService = Listeners &
  ServiceCalls & {
    /** Direct access to its database; connects at first use. */
    context: Stored['context'];
    /** The functions of a module of the project, such as `src/events/feed.service.ts`, called in the host. */
    inHost<Module>(file: string): InHost<Module>;
    /** Closes this suite's connection to its database. */
    stop(): Promise<void>;
  };

/** A service with its own database and queues, for one suite. */
export type HostedService = Omit<SharedService, 'stop'> & {
  /** The environment of a worker on the same database and queues. */
  environment: Record<string, string>;
  /** Its whole log as text. */
  logs(): Promise<string>;
  /** The log of its workers, line by line. */
  workerLogs(): Promise<Record<string, unknown>[]>;
  /** Also gives up its database, unless another service owns it. */
  stop(options?: { keepsDatabase: boolean }): Promise<void>;
};

/** The type of a value after JSON. */
type AsJson<Value> = Value extends Date
  ? string
  : Value extends object
    ? { [Key in keyof Value]: AsJson<Value[Key]> }
    : Value;

/**
 * The functions of a module whose first parameter is the service's context. The host passes the context; the other
 * arguments and the result are JSON. An error arrives as an `Error` with the same text.
 */
export type InHost<Module> = {
  [Name in keyof Module as Module[Name] extends (context: never, ...given: never) => unknown
    ? Name
    : never]: Module[Name] extends (context: never, ...given: infer Given) => infer Result
    ? (...given: Given) => Promise<AsJson<Awaited<Result>>>
    : never;
};

/**
 * The service that the suites of a run share, each with its own partners and venues; it has `isAlone`. Suites that
 * count everything, read logs, or change indexes or settings use `hostedService`.
 */
export function sharedService(): SharedService {
  const listeners = { url: runSetting('TEST_SERVICE_URL'), adminUrl: runSetting('TEST_SERVICE_ADMIN_URL') };
  const { service, close } = accessTo(SHARED_NAME, listeners, databaseUri(SHARED_NAME));
  return { ...service, stop: close };
}

/** Starts a service for this suite. Stop it in `afterAll`, which gives up its database. */
export async function hostedService(options: HostedOptions = {}): Promise<HostedService> {
  const name = freshName();
  const path = `/services/${name}`;
  const { environment, ...listeners } = await ask<Listeners & { environment: Record<string, string> }>(
    host().post(path, options),
  );
  const { service, close } = accessTo(name, listeners, environment['MONGODB_URI'] ?? '');
  const logs = () => ask<{ service: string; workers: Record<string, unknown>[] }>(host().get(`${path}/logs`));
  return {
    ...service,
    environment,
    logs: async () => (await logs()).service,
    workerLogs: async () => (await logs()).workers,
    stop: async ({ keepsDatabase } = { keepsDatabase: false }) => {
      await close();
      await ask(host().delete(`${path}?keepsDatabase=${keepsDatabase}`));
    },
  };
}

const host = (): Client => createClient(runSetting('TEST_SERVICE_HOST_URL'), undefined);

async function ask<Body>(answering: ReturnType<Client['get']>): Promise<Body> {
  const { status, text } = await answering;
  if (status !== 200) throw new Error(`The services' host: ${status} ${text}`);
  return JSON.parse(text) as Body;
}

function accessTo(
  name: string,
  listeners: Listeners,
  uri: string,
): { service: Omit<SharedService, 'stop'>; close: () => Promise<void> } {
  let client: mongoose.mongo.MongoClient | undefined;
  return {
    service: {
      ...listeners,
      context: {
        get db() {
          client ??= connect(uri);
          const db = client.db();
          return { db, collection: db.collection.bind(db) } as unknown as Stored['context']['db'];
        },
      },
      inHost: (file) => functionsOf(name, file),
      ...callsOf(name),
    },
    close: async () => {
      await client?.close();
    },
  };
}

/** All calls; the compiler checks that none is missing. */
const CALLS: Record<keyof ServiceCalls, true> = {
  makePartner: true,
  makeVenue: true,
  makeResource: true,
  setNow: true,
  migrate: true,
  dispatch: true,
  attempt: true,
};

/** `ServiceCalls` that the host's process executes. */
function callsOf(name: string): ServiceCalls {
  const calls = Object.keys(CALLS).map((call) => {
    const path = `/services/${name}/calls/${call}`;
    const make = async (...given: unknown[]) => (await ask<{ result: unknown }>(host().post(path, { given }))).result;
    return [call, make] as const;
  });
  return Object.fromEntries(calls) as unknown as ServiceCalls;
}

/** Functions of any name; the host rejects those that the module does not have. */
function functionsOf<Module>(name: string, file: string): InHost<Module> {
  const path = `/services/${name}/functions/${encodeURIComponent(file)}`;
  const functionNamed =
    (each: string) =>
    async (...given: unknown[]) =>
      (await ask<{ result: unknown }>(host().post(`${path}/${each}`, { given }))).result;
  return new Proxy({}, { get: (_target, each) => functionNamed(String(each)) }) as InHost<Module>;
}

/** Mongoose's driver without Mongoose, loaded at first use: half of the suites do not read the database. */
function connect(uri: string): mongoose.mongo.MongoClient {
  const nearMongoose = createRequire(createRequire(import.meta.url).resolve('mongoose'));
  const { MongoClient } = nearMongoose('mongodb') as typeof mongoose.mongo;
  return new MongoClient(uri);
}
