import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import type { Operation } from '../../src/http/route.ts';
import { operatorRoutes } from '../../src/main/admin-app.ts';
import { partnerRoutes } from '../../src/main/partner-app.ts';
import { migrate } from '../../src/operations/database/migrate.service.ts';
import { QUEUE_NAMES } from '../../src/queues/jobs.ts';
import { RESERVATION_EVENT_TYPES } from '../../src/reservations/event-types.ts';
import { startAlertReceiver } from '../alerts/watching.ts';
import { dumpDatabase } from '../support/database-dump.ts';
import { eventually } from '../support/eventually.ts';
import { anyPartner, anyVenue, dateIn, freeSlotIds, type Json, type Partner, subscribe } from '../support/factories.ts';
import { type OwnRedis, type OwnServer, ownMongod, ownRedis } from '../support/own-servers.ts';
import { startReceiver, type WebhookReceiver } from '../support/receiver.ts';
import { dumpRedis } from '../support/redis-dump.ts';
import { scaled } from '../support/scale.ts';
import { type Service, startService } from '../support/service.ts';
import { endProcesses, type SpawnedProcess, START_DEADLINE_MS, startProcess } from '../support/worker-process.ts';
import { canaryCalls, type Input, type World } from './canary-calls.ts';
import {
  ALERT_PATH,
  CUSTOMER,
  ENDPOINT,
  foundIn,
  OPERATOR_SECRETS,
  PERSONAL,
  SECRETS,
  UNKNOWN_API_KEY,
} from './canary-values.ts';

const { OPERATOR_API_KEY, ENCRYPTION_KEYS, mongodbPassword, redisPassword } = OPERATOR_SECRETS;

let mongod: OwnServer;
let redis: OwnRedis;
let service: Service;
let workers: SpawnedProcess[];
let receivers: WebhookReceiver[] = [];
let alerts: WebhookReceiver;
let world: World;
let calls: ReturnType<typeof canaryCalls>;
/** Secrets that the service has generated, which are as unique as the canaries. */
const issued: string[] = [];
const redisDumps: string[] = [];

type Call = { name: string; operation: Operation; url: string; key: string };
type Answered = { call: string; status: number; text: string };
const answers: Answered[] = [];

/** The partner whose sandbox is reset. */
let otherPartner: Partner;

const routes = (): Call[] => [
  ...partnerRoutes(service.context).map((operation) => ({
    name: `partner ${operation.operationId}`,
    operation,
    url: service.url,
    // A reset would end the objects that the other calls need.
    key: operation.operationId === 'resetSandbox' ? otherPartner.apiKey : world.partner.apiKey,
  })),
  ...operatorRoutes(service.context).map((operation) => ({
    name: `operator ${operation.operationId}`,
    operation,
    url: service.adminUrl,
    key: OPERATOR_API_KEY,
  })),
];

async function send(
  call: string,
  method: string,
  url: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Answered> {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(url, {
    method: method.toUpperCase(),
    headers: { ...type, ...headers },
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  const seen = JSON.stringify([...response.headers]);
  const answered = { call, status: response.status, text: `${await response.text()}\n${seen}` };
  answers.push(answered);
  return answered;
}

const urlOf = ({ operation, url }: Call, { ids = [], query }: Input) => {
  const given = [...ids];
  const path = operation.path.replace(/:\w+/g, () => encodeURIComponent(given.shift() ?? ''));
  return `${url}${path}${query === undefined ? '' : `?${new URLSearchParams(query).toString()}`}`;
};
const ask = (call: Call, input: Input, key = call.key) =>
  send(
    call.name,
    call.operation.method,
    urlOf(call, input),
    { 'x-api-key': key },
    input.body === undefined || call.operation.method === 'get' ? undefined : JSON.stringify(input.body),
  );

/** Sends canaries in invalid input: in fields of the wrong type, and in invalid JSON. */
async function sendInvalid(call: Call, input: Input): Promise<void> {
  const fieldsOf = (schema: Operation['body']) => Object.keys((schema?.describe()['keys'] ?? {}) as Json);
  const everything = PERSONAL.join(' ');
  const { body, query } = call.operation;
  if (query !== undefined) {
    const invalid = Object.fromEntries(fieldsOf(query).map((name) => [name, `${everything} \u0000`]));
    await ask(call, { ...input, query: invalid });
  }
  if (body === undefined) return;
  const bodyOf = (value: unknown) => Object.fromEntries(fieldsOf(body).map((name) => [name, value]));
  const values = [[everything], `${everything.repeat(30)} \u0000`, { [everything]: everything }];
  for (const value of values.slice(0, scaled(values.length, 1))) {
    await ask(call, { ...input, body: bodyOf(value) });
  }
  const headers = { 'x-api-key': call.key };
  await send(call.name, call.operation.method, urlOf(call, input), headers, `{"${everything}`);
}

/** Sends canaries in place of ids, and in unknown paths. */
async function sendCanariesAsIds(): Promise<void> {
  const { customer_name: name, customer_phone: phone } = CUSTOMER;
  for (const value of [phone, phone.slice(1), name]) {
    for (const call of routes()) {
      const ids = call.operation.path.match(/:\w+/g)?.map(() => value);
      if (ids !== undefined) await ask({ ...call, name: `${call.name} of a canary` }, { ids, body: {} });
    }
    for (const { url, key } of [routes()[0], routes().at(-1)].filter((each) => each !== undefined)) {
      const headers = { 'x-api-key': key };
      for (const path of ['/', '/api/v1/', '/api/v1/bookings/', '/queues/', '/console/assets/', '/docs/']) {
        for (const method of ['get', 'put']) {
          await send('unknown path', method, url + path + encodeURIComponent(value), headers);
          await send('unknown path', method, `${url}${path}${value}/${value}`, headers);
        }
      }
    }
  }
}

/** Sends a command over a separate connection, because some failures close the service's connections. */
async function onServer(command: Json): Promise<void> {
  const client = new mongoose.mongo.MongoClient(service.environment['MONGODB_URI'] ?? '');
  try {
    await client.db('admin').command(command);
  } finally {
    await client.close();
  }
}
const COMMANDS = ['find', 'aggregate', 'insert', 'update', 'findAndModify', 'delete', 'distinct', 'getMore'];
/** While `work` runs, makes the database commands that match `data` fail, for API and workers. */
async function whileMongodbFails(data: Json, work: () => Promise<unknown>): Promise<void> {
  const point = { configureFailPoint: 'failCommand' };
  await onServer({ ...point, mode: 'alwaysOn', data: { failCommands: COMMANDS, ...data } });
  await work();
  await onServer({ ...point, mode: 'off' });
  await eventually('the service reaches its database again', async () => {
    await service.context.db.db?.command({ ping: 1 });
    return true;
  });
}
const namespace = (name: string) => `${service.context.db.name}.${name}`;

const redisDump = () => dumpRedis(service.environment['REDIS_URL'] ?? '', service.context.config.queuePrefix);
const uriWith = (uri: string, user: string) => uri.replace('://', `://${user}@`);

async function startEverything(): Promise<void> {
  [mongod, redis] = await Promise.all([ownMongod(), ownRedis(['--requirepass', redisPassword])]);
  await Promise.all([mongod.start(), redis.start()]);
  const bare = await startService({ MONGODB_URI: mongod.uri, REDIS_URL: uriWith(redis.uri, `:${redisPassword}`) });
  const user = { createUser: 'canary', pwd: mongodbPassword, roles: ['root'] };
  await bare.context.db.getClient().db('admin').command(user);
  await bare.stop();
  alerts = await startAlertReceiver();
  service = await startService({
    MONGODB_URI: `${uriWith(mongod.uri, `canary:${mongodbPassword}`)}&authSource=admin`,
    REDIS_URL: uriWith(redis.uri, `:${redisPassword}`),
    OPERATOR_API_KEY,
    ENCRYPTION_KEYS,
    LOG_LEVEL: 'trace',
    ALERT_URL: new URL(`${ALERT_PATH}/${alerts.url.split('/').at(-1)}`, alerts.url).toString(),
    // The second attempt follows after 0.2 s. The third, which makes a dead letter, waits until a call advances it.
    WEBHOOK_RETRY_DELAYS_SECONDS: '0.2,3600',
  });
  workers = ['hold-expiry', 'webhook-delivery'].map((name) => startProcess(`workers/${name}.ts`, service.environment));
}

async function provision(): Promise<World> {
  const venue = await anyVenue(service, [
    { duration_minutes: 5, operating_hours_start: '00:00', operating_hours_end: '00:00' },
  ]);
  const partner = await anyPartner(service, [venue.id]);
  otherPartner = await anyPartner(service);
  issued.push(partner.apiKey, otherPartner.apiKey);
  receivers = [await startReceiver(500), await startReceiver(200)];
  const [failingUrl = '', workingUrl = ''] = receivers.map(({ url }) => `${new URL(url).origin}${ENDPOINT}`);
  const failing = await subscribe(partner, failingUrl, ['booking_refunded']);
  const working = await subscribe(partner, workingUrl, RESERVATION_EVENT_TYPES);
  const spare = await subscribe(partner, workingUrl, ['hold_expired']);
  issued.push(failing.secretKey, working.secretKey, spare.secretKey);
  const slots = [
    ...(await freeSlotIds(partner, venue.id, dateIn(3))),
    ...(await freeSlotIds(partner, venue.id, dateIn(4))),
  ];
  return {
    service,
    partner,
    venueId: venue.id,
    resourceId: venue.resourceIds[0] ?? '',
    failing: failing.id,
    working: working.id,
    spare: spare.id,
    receiverUrl: new URL(workingUrl).origin,
    anySlot: () => slots.shift() ?? '',
  };
}

/** Requests pages with an operator's session, and signs in with a wrong and the right key. */
async function browse(): Promise<void> {
  const origin = service.adminUrl;
  const form = { method: 'POST', redirect: 'manual' as const, headers: { origin } };
  const wrong = await fetch(`${origin}/sign-in`, { ...form, body: new URLSearchParams({ key: UNKNOWN_API_KEY }) });
  answers.push({ call: 'sign-in', status: wrong.status, text: await wrong.text() });
  const right = await fetch(`${origin}/sign-in`, { ...form, body: new URLSearchParams({ key: OPERATOR_API_KEY }) });
  const cookie = right.headers.get('set-cookie')?.split(';')[0] ?? '';
  issued.push(cookie.slice(cookie.indexOf('=') + 1));
  const headers = { cookie, accept: 'text/html' };
  const pages = ['/', '/bookings', '/partners', '/webhooks', '/deliveries', '/dead-letters', '/alerts', '/audit'];
  for (const path of [
    ...pages,
    `/partners/${world.partner.id}`,
    `/bookings?customer_phone=${encodeURIComponent(CUSTOMER.customer_phone)}`,
  ]) {
    await send(`page ${path}`, 'get', origin + path, headers);
  }
  await fetch(`${origin}/sign-out`, { ...form, headers: { origin, cookie } });
}

const valid = new Map<string, number>();
/** The path of each route's valid call. */
const paths: string[] = [];

beforeAll(async () => {
  await startEverything();
  world = await provision();
  calls = canaryCalls(world);
  for (const { ready } of workers) await ready;
  const inputs = new Map<string, Input>();
  for (const call of routes()) {
    const input = await calls.inputOf(call.name, call.operation.path);
    inputs.set(call.name, input);
    const answered = await ask(call, input);
    valid.set(call.name, answered.status);
    paths.push(new URL(urlOf(call, input)).pathname);
    // No other response may contain the secret that this one creates.
    const [, made] = /"(?:api_key|secret_key)":"([^"]+)"/.exec(answered.text) ?? [];
    if (made !== undefined && made !== '[redacted]') issued.push(made);
  }
  await browse();
  await sendCanariesAsIds();
  const all = routes().map((call) => [call, inputs.get(call.name) ?? {}] as const);
  const repeatAll = () => Promise.all(all.map(([call, input]) => ask(call, input)));
  for (const [call, input] of all) await sendInvalid(call, input);
  for (const [call, input] of [all[0], all.at(-1)].flatMap((each) => (each === undefined ? [] : [each]))) {
    await ask(call, input, UNKNOWN_API_KEY);
  }
  const collections = ['reservations', 'webhook_subscriptions', 'package_purchases', 'deliveries', 'events', 'audit'];
  for (const name of collections.slice(0, scaled(collections.length, 1))) {
    await whileMongodbFails({ errorCode: 8, namespace: namespace(name) }, repeatAll);
  }
  await whileMongodbFails({ closeConnection: true }, repeatAll);
  await causeQuotingErrors();
  redisDumps.push(await redisDump());
  await redis.signal('SIGKILL');
  await repeatAll();
  await redis.start();
  await eventually('operators were told of dead letters', () => alerts.received.length > 0, START_DEADLINE_MS);
  await eventually('Redis is used again', async () => (await redisDump()).length > 1000, START_DEADLINE_MS);
  redisDumps.push(await redisDump());
}, 900_000);
afterAll(async () => {
  await endProcesses();
  await Promise.all(receivers.map((each) => each.close()));
  await alerts.close();
  await service.stop();
  await Promise.all([mongod.discard(), redis.discard()]);
});

/** Causes errors of drivers, which quote their input: documents, keys, values, addresses. */
async function causeQuotingErrors(): Promise<void> {
  const confirm = routes().find(({ name }) => name === 'partner confirmBooking');
  if (confirm === undefined) throw new Error('There is no such route');
  const { db } = service.context;
  const input = await calls.inputOf(confirm.name, confirm.operation.path);
  const validator = { 'customer.name': 'nobody' };
  await db.db?.command({
    collMod: 'reservations',
    validator: { $or: [{ customer: null }, validator] },
    validationLevel: 'moderate',
  });
  await ask(confirm, input);
  await migrate(db);
  // Also log errors that the service does not handle: they must not put canaries into the log either.
  const partners = db.models['partners'];
  const values = db.collection<{ _id: string }>('unforeseen');
  await values.insertOne({ _id: CUSTOMER.customer_name });
  for (const fail of [
    () => values.insertOne({ _id: CUSTOMER.customer_name }),
    () => partners?.find({ createdAt: CUSTOMER.customer_email }),
    () => new Redis(`redis://:${redisPassword}@127.0.0.1:99999`),
  ]) {
    await (async () => fail())().catch((err: unknown) => service.context.log.error({ err }, 'unforeseen'));
  }
  await values.drop();
}

const logs = () => service.logs();
const workerLogs = () => workers.map((each) => each.output()).join('\n');
const errors = () => answers.filter(({ status }) => status >= 400);
const asOperator = async (path: string) =>
  (await fetch(service.adminUrl + path, { headers: { 'x-api-key': OPERATOR_API_KEY } })).text();
const board = async () =>
  (
    await Promise.all(
      QUEUE_NAMES.map((name) => asOperator(`/queues/api/queues?activeQueue=${name}&status=latest&page=1`)),
    )
  ).join('\n');
const auditRows = async () => JSON.stringify(await service.context.db.collection('audit').find({}).toArray());
const everySecret = () => [...SECRETS, ...issued, ...issued.map((each) => each.slice(-43))];
const everything = () => [...everySecret(), ...PERSONAL];

describe('the calls of this suite', () => {
  test('include a successful one to every route of both listeners', () => {
    const names = routes().map(({ name }) => name);
    expect(calls.names.filter((name) => !names.includes(name))).toEqual([]);
    expect([...valid.keys()].toSorted()).toEqual(names.toSorted());
    expect([...valid].filter(([, status]) => status < 200 || status > 299)).toEqual([]);
  });

  test('include failures with every status, and errors that quote their input', () => {
    const statuses = new Set(errors().map(({ status }) => status));
    for (const status of [400, 401, 404, 409, 500, 503]) expect(statuses).toContain(status);
    const failedCalls = (status: number) =>
      new Set(
        errors()
          .filter((each) => each.status === status)
          .map(({ call }) => call),
      );
    expect(failedCalls(400).size).toBeGreaterThan(40);
    expect(failedCalls(500).size).toBeGreaterThan(20);
    expect(failedCalls(503).size).toBe(routes().length);
    const quoting = ['Document failed validation', 'dup key: [redacted]', 'for value "[redacted]"', 'Invalid URL'];
    expect(quoting.filter((text) => !logs().includes(text.replaceAll('"', '\\"')))).toEqual([]);
    expect(issued.length).toBeGreaterThanOrEqual(8);
  });
});

describe('no secret, and no data of a customer or of a partner’s call, is in', () => {
  test.each<{ place: string; read: () => string | Promise<string> }>([
    { place: 'the log of the API, at the level trace', read: logs },
    { place: 'the logs of the workers', read: workerLogs },
    {
      place: 'the response to a call that failed',
      read: () =>
        errors()
          .map(({ text }) => text)
          .join('\n'),
    },
    { place: '/metrics', read: () => asOperator('/metrics') },
    { place: 'a key or value of Redis', read: () => redisDumps.join('\n') },
    { place: 'a job that Bull Board shows', read: board },
    { place: 'a post to ALERT_URL', read: () => alerts.received.map(({ bytes }) => bytes.toString()).join('\n') },
  ])('$place', async ({ read }) => {
    const text = await read();
    expect(text.length).toBeGreaterThan(500);
    expect(foundIn(text, everything())).toEqual([]);
  });
});

test('control: the log has the called paths, with the ids of existing objects', () => {
  expect(paths.length).toBeGreaterThan(60);
  expect(paths.filter((path) => !logs().includes(`"path":"${path}"`))).toEqual([]);
  expect(logs()).toContain('"path":"/api/v1/bookings/[other]"');
});

describe('no unencrypted secret is in', () => {
  test('a row of the audit, which records each operator call', async () => {
    const rows = await auditRows();
    expect(rows).toContain('issueApiKey');
    expect(
      foundIn(rows, [
        ...everySecret(),
        ...PERSONAL.filter((each) => !each.startsWith('canary-path') && !each.startsWith('canary-query')),
      ]),
    ).toEqual([]);
  });

  test('a document of the database', async () => {
    const dump = await dumpDatabase(service);
    expect(foundIn(dump, everySecret())).toEqual([]);
    expect(foundIn(dump, PERSONAL)).toEqual([...PERSONAL]);
  });

  test('a response or page, except the response that created it', () => {
    const shown = answers.map(({ text }) => text);
    const times = (secret: string) => shown.filter((text) => foundIn(text, [secret]).length > 0).length;
    expect(SECRETS.filter((secret) => times(secret) > 0)).toEqual([]);
    expect(issued.filter((secret) => times(secret) > 1)).toEqual([]);
    // Control: responses of calls that create secrets are recorded; those of `provision` are not.
    expect(issued.filter((secret) => times(secret) === 1).length).toBeGreaterThan(2);
  });
});

describe('control: a planted leak is found', () => {
  const planted = 'canary-payment-planted';

  test('in the log', () => {
    service.context.log.trace({ quoted: `for ${planted}` }, 'planted');
    expect(foundIn(logs(), PERSONAL)).toEqual(['canary-payment']);
  });

  test('in Redis, and in a job, also in another form', async () => {
    await service.context.queues.byName('webhook-delivery').add('planted', { text: planted });
    const encoded = Buffer.from('canary-payment').toString('base64');
    const { queuePrefix } = service.context.config;
    const client = new Redis(redis.uri, { password: redisPassword });
    await client.set(`${queuePrefix}:planted`, encoded);
    client.disconnect();
    expect(foundIn(await redisDump(), PERSONAL)).toEqual(['canary-payment']);
    expect(foundIn(await board(), PERSONAL)).toEqual(['canary-payment']);
    expect(foundIn(encoded, PERSONAL)).toEqual(['canary-payment']);
  });

  test('in a post to ALERT_URL, and in the audit', async () => {
    await fetch(alerts.url, { method: 'POST', body: JSON.stringify({ text: planted }) });
    expect(foundIn(alerts.received.map(({ bytes }) => bytes.toString()).join(), PERSONAL)).toEqual(['canary-payment']);
    const audit = service.context.db.collection<{ _id: string; text: string }>('audit');
    await audit.insertOne({ _id: 'planted', text: planted }, { bypassDocumentValidation: true });
    expect(foundIn(await auditRows(), ['canary-payment'])).toEqual(['canary-payment']);
  });
});
