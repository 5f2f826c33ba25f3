import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createClient } from '../support/client.ts';
import type * as Commands from '../support/commands.in-host.ts';
import { eventually } from '../support/eventually.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  confirmBody,
  dateIn,
  expectStatus,
  operatorOf,
  placeHold,
} from '../support/factories.ts';
import { monitoredUri } from '../support/service-environment.ts';
import type { HostedService } from '../support/service-host.ts';
import { hostedService } from '../support/service-host.ts';
import type { TcpRelay } from '../support/tcp-relay.ts';
import { startTcpRelay } from '../support/tcp-relay.ts';
import { errorOf } from '../support/verdict.ts';
import type * as InHost from './claimed-days.in-host.ts';

/** Nothing is said that was wrong for longer. */
const STALE_MS = 1000;
const HOLDS = '/api/v1/partner/holds';
const CLAIMS_READ = 'aggregate reservations';

// The lease of the tests is too short to be kept all the time.
const overrides = { CACHE_LEASE_MS: '2000' };
const uri = monitoredUri();
let relay: TcpRelay;
let reader: HostedService;
let writer: HostedService;
let venue: Venue;
let partner: Partner;
/** The same partner at the other process. */
let elsewhere: Partner;
let day = 2;

beforeAll(async () => {
  writer = await hostedService({ overrides: { ...overrides, MONGODB_URI: uri } });
  const own = new URL(uri);
  relay = await startTcpRelay(Number(own.port));
  own.port = String(relay.port);
  own.search = 'monitorCommands=true&directConnection=true';
  reader = await hostedService({ overrides: { ...overrides, MONGODB_URI: own.toString() } });
  venue = await anyVenue(writer, [{}, {}]);
  elsewhere = await anyPartner(writer, [venue.id]);
  partner = { ...elsewhere, api: createClient(reader.url, elsewhere.apiKey) };
  await commands().watchCommands();
});
afterAll(async () => {
  await reader.stop({ keepsDatabase: true });
  await writer.stop();
  await relay.close();
});
/** Each test has a day of its own, which nobody has read. */
beforeEach(() => {
  day += 1;
});

const inReader = () => reader.inHost<typeof InHost>('test/availability/claimed-days.in-host.ts');
const commands = () => reader.inHost<typeof Commands>('test/support/commands.in-host.ts');

const path = (date = dateIn(day)) => `/api/v1/slots/availability?venue_id=${venue.id}&date=${date}`;
const read = async (by: Partner = partner, date = dateIn(day)): Promise<Json[]> =>
  expectStatus(await by.api.get(path(date)), 200)['slots'] as Json[];
const reasonOf = async (slotId: unknown, by: Partner = partner): Promise<unknown> => {
  const slot = (await read(by)).find((each) => each['slot_id'] === slotId);
  return slot?.['is_available'] === true ? 'free' : slot?.['unavailable_reason'];
};

/** What the reader asks of its database for a call, beside what it reads now and then whatever is called. */
async function commandsOf(call: () => Promise<unknown>): Promise<string[]> {
  await commands().takeCommands();
  await call();
  const others = /^(hello|update api_keys|find cache_versions|killCursors)/;
  return (await commands().takeCommands()).filter((command) => !others.test(command));
}

/** Reads until the day is kept in memory; returns its slots. */
async function warm(date?: string): Promise<Json[]> {
  return eventually('the day to be read from memory', async () => {
    let slots: Json[] = [];
    const sent = await commandsOf(async () => {
      slots = await read(partner, date);
    });
    return sent.length === 0 && slots;
  });
}

/** Of a day that is kept in memory. */
async function freeSlot(date?: string): Promise<string> {
  const slot = (await warm(date)).find((each) => each['is_available'] === true);
  return String(slot?.['slot_id']);
}

/** Waits until the reader has all that others have written before. */
async function untilHeard(): Promise<void> {
  const date = dateIn(day + 30);
  const slotId = await freeSlot(date);
  await placeHold(elsewhere, slotId);
  await eventually('what was written last', async () =>
    (await read(partner, date)).some((slot) => slot['slot_id'] === slotId && slot['is_available'] === false),
  );
}

test('what was read is read from memory: no command to the database, whoever asks and in whatever form', async () => {
  await warm();
  const etag = (await partner.api.get(path())).headers.get('etag') ?? '';
  const other = await anyPartner(reader, [venue.id]);
  const isKnown = async () => (await commandsOf(() => read(other))).length === 0;
  await eventually('the other partner to be known', isKnown);
  const sent = await commandsOf(async () => {
    expect((await partner.api.get(path(), { 'if-none-match': etag })).status).toBe(304);
    expect(await read(other)).toEqual(await read());
  });
  expect(sent).toEqual([]);
});

test('what is read from memory is byte for byte what another process makes of the database', async () => {
  const slotId = await freeSlot();
  await placeHold(partner, slotId);
  await warm();
  const replies = [await partner.api.get(path()), await elsewhere.api.get(path())];
  const [fromMemory, computed] = replies.map(({ text, headers }) => [text, headers.get('etag')]);
  expect(fromMemory).toEqual(computed);
});

/** Each way in which a claim comes, changes or goes, and what is said of the slot then. */
const CHANGES: [string, (by: Partner, slotId: string) => Promise<unknown>, string][] = [
  ['a hold', (by, slotId) => placeHold(by, slotId), 'held'],
  ['a hold that is released', (by, slotId) => release(by, slotId), 'free'],
  ['a booking', (by, slotId) => book(by, slotId), 'booked'],
  ['a booking that is cancelled', (by, slotId) => cancel(by, slotId), 'free'],
  ['a walk-in', (by, slotId) => walkIn(by, slotId), 'booked'],
  ['a walk-in that displaces a hold', (by, slotId) => displace(by, slotId), 'booked'],
];

const serviceOf = (by: Partner) => (by === partner ? reader : writer);
const hold = async (by: Partner, slotId: string) => {
  const holdId = String((await placeHold(by, slotId))['hold_id']);
  // What comes next changes what is in memory.
  expect(await reasonOf(slotId, by)).toBe('held');
  return holdId;
};
const release = async (by: Partner, slotId: string) =>
  expectStatus(await by.api.post(`${HOLDS}/${await hold(by, slotId)}/cancel`, {}), 200);
const book = async (by: Partner, slotId: string) => {
  const body = confirmBody(await hold(by, slotId));
  return String(expectStatus(await by.api.post('/api/v1/bookings/confirm', body), 201)['booking_id']);
};
const cancel = async (by: Partner, slotId: string) => {
  const id = await book(by, slotId);
  expect(await reasonOf(slotId, by)).toBe('booked');
  const body = { reason: 'rain', idempotency_key: id };
  return expectStatus(await by.api.post(`/api/v1/bookings/${id}/cancel`, body), 200);
};
const walkIn = async (by: Partner, slotId: string, more: Json = {}) => {
  const body = { slot_id: slotId, customer_name: 'Asha Rao', ...more };
  return expectStatus(await operatorOf(serviceOf(by)).post('/api/v1/operator/walk-ins', body), 201);
};
const displace = async (by: Partner, slotId: string) => {
  await hold(by, slotId);
  return walkIn(by, slotId, { override_holds: true });
};

describe('what this process writes is said by the next response', () => {
  test.each(CHANGES)('%s', async (_what, change, reason) => {
    const slotId = await freeSlot();
    await change(partner, slotId);
    expect(await reasonOf(slotId)).toBe(reason);
  });
});

describe('what another process writes is said within a second', () => {
  test.each(CHANGES)('%s', async (_what, change, reason) => {
    const slotId = await freeSlot();
    await change(elsewhere, slotId);
    expect(await saidInTime(slotId, reason)).toBe(reason);
  });
});

/** The reason as soon as it is said, within a second from now. */
const saidInTime = (slotId: string, reason: string) =>
  eventually(
    `${reason} to be said`,
    async () => {
      const said = await reasonOf(slotId);
      return said === reason && said;
    },
    STALE_MS,
  );

describe('a change stream that brings nothing is noticed', () => {
  const CUTS: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
    [
      'its connection is stuck',
      () => Promise.resolve(relay.swallowAfter('getMore')),
      () => Promise.resolve(relay.restore()),
    ],
    ['its cursor is killed, and each that follows', () => keepKilling(), () => stopKilling()],
  ];
  let killing: Promise<void> | undefined;
  let end = new AbortController();
  const keepKilling = async () => {
    await killCursors();
    end = new AbortController();
    killing = (async () => {
      while (!end.signal.aborted) await killCursors();
    })();
  };
  const stopKilling = async () => {
    end.abort();
    await killing;
  };

  test.each(CUTS)('%s: the database is asked, until it is there again', async (_what, cut, mend) => {
    const slotId = await freeSlot();
    await cut();
    try {
      for (const [change, reason] of [
        [() => placeHold(elsewhere, slotId), 'held'],
        [() => walkIn(elsewhere, slotId, { override_holds: true }), 'booked'],
      ] as const) {
        await change();
        expect(await saidInTime(slotId, reason)).toBe(reason);
      }
      await eventually('the database to be asked', async () =>
        (await commandsOf(() => read())).includes(CLAIMS_READ),
      );
    } finally {
      await mend();
    }
    await warm();
  });

  test('and after it was lost once, nothing of before is said', async () => {
    const slotId = await freeSlot();
    await killCursors();
    await placeHold(elsewhere, slotId);
    expect(await saidInTime(slotId, 'held')).toBe('held');
    await warm();
    expect(await reasonOf(slotId)).toBe('held');
  });

  /** Of the reader's stream: no other reads this database. */
  async function killCursors(): Promise<void> {
    const { db } = writer.context.db;
    const streams = (await db?.admin().command({
      aggregate: 1,
      pipeline: [
        { $currentOp: { allUsers: true, idleCursors: true } },
        { $match: { ns: `${db.databaseName}.reservations`, 'cursor.tailable': true } },
        { $project: { id: '$cursor.cursorId' } },
      ],
      cursor: {},
    })) as { cursor: { firstBatch: { id: unknown }[] } } | undefined;
    const cursors = streams?.cursor.firstBatch.map(({ id }) => id) ?? [];
    if (cursors.length > 0) await db?.command({ killCursors: 'reservations', cursors });
  }
});

test('a hold that lapses is free from that moment on, without another look at the database', async () => {
  const slotId = await freeSlot();
  const holdId = String((await placeHold(elsewhere, slotId))['hold_id']);
  // Past every service, as an older release would.
  const { db } = writer.context.db;
  const lapsing = await db
    ?.collection<{ _id: string; holdExpiresAt: Date }>('reservations')
    .findOneAndUpdate({ _id: holdId }, [{ $set: { holdExpiresAt: { $add: ['$$NOW', 3000] } } }], {
      returnDocument: 'after',
    });
  await untilHeard();
  await warm();
  expect(await reasonOf(slotId)).toBe('held');
  const sent = await commandsOf(() =>
    eventually('the hold to lapse', async () => (await reasonOf(slotId)) === 'free'),
  );
  expect(sent).not.toContain(CLAIMS_READ);
  const now = (await db?.command({ hello: 1 }))?.['localTime'] as Date;
  expect(now.getTime()).toBeGreaterThanOrEqual(lapsing?.holdExpiresAt.getTime() ?? Number.NaN);
});

describe('what was read in the middle of a write is not kept', () => {
  test.each([
    ['of this process', () => partner],
    ['of another', () => elsewhere],
  ])('%s', async (_whose, by) => {
    const slotId = await freeSlot();
    await release(partner, slotId);
    const { holdRead, hasRead, letGo } = inReader();
    await holdRead();
    const early = reasonOf(slotId);
    await hasRead();
    await placeHold(by(), slotId);
    await untilHeard();
    await letGo();
    // It had read before the write: were it kept, the next response would say so too.
    expect(await early).toBe('free');
    expect(await reasonOf(slotId)).toBe('held');
    await warm();
    expect(await reasonOf(slotId)).toBe('held');
  });
});

test('what is kept is bounded, and has nothing of a customer', async () => {
  const { readDays, sizeOfKept } = inReader();
  const sizes: number[] = [];
  for (let number = 0; number < 12; number += 1) {
    await readDays(`venue ${number}`, 20_000, 3000);
    sizes.push((await sizeOfKept()).bytes);
  }
  expect(sizes[0]).toBeGreaterThan(500_000);
  expect(sizes.at(-1)).toBe(sizes.at(-2));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(8 * 1024 * 1024);
  // What was dropped is read again.
  const slotId = await freeSlot();
  await book(partner, slotId);
  expect(await reasonOf(slotId)).toBe('booked');
  const fields = await inReader().fieldsOfKept(venue.id, day);
  expect(fields.sort()).toEqual([
    '_id',
    'holdExpiresAt',
    'resourceId',
    'sharedCells',
    'slotEnd',
    'slotStart',
    'status',
    'venueId',
  ]);
});

test('control: a process that is deaf to the change stream goes on saying what was, but for its own writes', async () => {
  const { deafen, countSwallowed } = inReader();
  const slots = (await warm()).map((slot) => slot['slot_id']);
  await deafen();
  await placeHold(elsewhere, String(slots[0]));
  await eventually('the event to be lost', async () => (await countSwallowed()) > 0);
  const sent = await commandsOf(async () => expect(await reasonOf(slots[0])).toBe('free'));
  expect(sent).not.toContain(CLAIMS_READ);
  await placeHold(partner, String(slots[1]));
  expect(await reasonOf(slots[1])).toBe('held');
});

test('who loses a slot is not offered it instead, though nobody has told the process who took it', async () => {
  const [taken, ...others] = (await warm()).map((slot) => slot['slot_id']);
  await placeHold(elsewhere, String(taken));
  // The process is deaf since the control before.
  expect(await reasonOf(taken)).toBe('free');
  const lost = await partner.api.post(HOLDS, { slot_id: taken });
  expect(lost.status).toBe(409);
  const offered = errorOf(lost).conflict?.['alternatives'] as Json[];
  expect(offered.map((slot) => slot['slot_id'])).toContain(others[0]);
  expect(offered.map((slot) => slot['slot_id'])).not.toContain(taken);
  expect(await reasonOf(taken)).toBe('held');
});
