import { createRequire } from 'node:module';
import type mongoose from 'mongoose';
import { type Client, createClient } from './client.ts';
import type { Stored } from './rows.ts';
import type { ServiceCalls } from './service-calls.ts';
import { databaseUri, freshName, type Listeners, runSetting, SHARED_NAME } from './service-environment.ts';

export type HostedOptions = {
  /** Environment variables of the service. */
  overrides?: Record<string, string>;
  /** With one worker of each kind beside it. */
  hasWorkers?: boolean;
  /**
   * No other process works on its database, so it answers changes without waiting for leases of others. For suites that make many
   * changes and race none of them; the suites about leases (leases.ts) prove the wait.
   */
  isAlone?: boolean;
};

/** A service that runs in the host's process (service-host-process.ts), for suites that call it over HTTP and load no code of it. */
export type SharedService = Listeners &
  ServiceCalls & {
    /** Its database, past every service; connects when it is first asked for. */
    context: Stored['context'];
    /** The functions of a module of the project, such as `src/events/feed.service.ts`, as the host calls them. */
    inHost<Module>(file: string): InHost<Module>;
    /** Ends what this suite has of it. */
    stop(): Promise<void>;
  };

/** A service of the suite's own, with a database and queues of its own. */
export type HostedService = Omit<SharedService, 'stop'> & {
  /** The environment with which a worker works on the same database and queues. */
  environment: Record<string, string>;
  /** Everything that it logged, as text. */
  logs(): Promise<string>;
  /** What its workers logged, line by line. */
  workerLogs(): Promise<Record<string, unknown>[]>;
  /** Gives up its database too, unless that is another's. */
  stop(options?: { keepsDatabase: boolean }): Promise<void>;
};

/** What JSON makes of a value. */
type AsJson<Value> = Value extends Date
  ? string
  : Value extends object
    ? { [Key in keyof Value]: AsJson<Value[Key]> }
    : Value;

/**
 * The functions of a module that take a service's context first. They are given that of the host's service, and what they are called with
 * after it, which is JSON, as is what they return; what they throw is an `Error` here with its text.
 */
export type InHost<Module> = {
  [Name in keyof Module as Module[Name] extends (context: never, ...given: never) => unknown
    ? Name
    : never]: Module[Name] extends (context: never, ...given: infer Given) => infer Result
    ? (...given: Given) => Promise<AsJson<Awaited<Result>>>
    : never;
};

/**
 * The one service of the run that suites share, each with partners and venues of its own; it is alone (`isAlone`). A suite that counts
 * everything, reads logs, changes indexes or settings has one of its own (`hostedService`).
 */
export function sharedService(): SharedService {
  const listeners = { url: runSetting('TEST_SERVICE_URL'), adminUrl: runSetting('TEST_SERVICE_ADMIN_URL') };
  const { service, close } = accessTo(SHARED_NAME, listeners, databaseUri(SHARED_NAME));
  return { ...service, stop: close };
}

/** Starts a service for this suite alone. Stop it in `afterAll`, which gives up its database. */
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

/** `ServiceCalls`, made in the host's process. */
function callsOf(name: string): ServiceCalls {
  const calls = Object.keys(CALLS).map((call) => {
    const path = `/services/${name}/calls/${call}`;
    const make = async (...given: unknown[]) => (await ask<{ result: unknown }>(host().post(path, { given }))).result;
    return [call, make] as const;
  });
  return Object.fromEntries(calls) as unknown as ServiceCalls;
}

/** Any name is a function of the module; those that it lacks are refused where they are called. */
function functionsOf<Module>(name: string, file: string): InHost<Module> {
  const path = `/services/${name}/functions/${encodeURIComponent(file)}`;
  const functionNamed =
    (each: string) =>
    async (...given: unknown[]) =>
      (await ask<{ result: unknown }>(host().post(`${path}/${each}`, { given }))).result;
  return new Proxy({}, { get: (_target, each) => functionNamed(String(each)) }) as InHost<Module>;
}

/** Mongoose's driver, without Mongoose; loaded when asked for: half of the suites never look into the database. */
function connect(uri: string): mongoose.mongo.MongoClient {
  const nearMongoose = createRequire(createRequire(import.meta.url).resolve('mongoose'));
  const { MongoClient } = nearMongoose('mongodb') as typeof mongoose.mongo;
  return new MongoClient(uri);
}
