import { randomUUID } from 'node:crypto';
import type { EventRow } from '../../src/events/events.model.ts';
import { readFeed } from '../../src/events/feed.service.ts';
import * as log from '../../src/events/log-events.service.ts';
import { findLastSequenceNumber, findOpenRanges } from '../../src/events/sequence-numbers.store.ts';
import { readingSnapshot } from '../../src/platform/mongo.ts';
import { eventually } from '../support/eventually.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** An event that is to be logged: what matters of it in the feed. */
export type Draft = Pick<EventRow, '_id' | 'type' | 'venueId' | 'holdId' | 'originatorId'>;

/** Logs the events as one batch; resolves when the feed has them, to how many reservations were refused. */
export async function logEvents({ db }: Context, drafts: readonly Draft[]): Promise<number> {
  const at = new Date();
  const slot = { resourceId: 'turf', slotId: 'turf_x', slotStart: at, slotEnd: at, pricePaise: 0 };
  const none = { bookingId: null, holdExpiresAt: null, reason: null };
  const refused = await log.logEvents(
    { db },
    drafts.map((draft) => ({ ...draft, at, ...slot, ...none })),
  );
  await eventually('the feed has them', async () => (await findOpenRanges(db)).length === 0);
  return refused.size;
}

/** The sequence number of the last event in the feed. */
export const lastSequenceNumber = ({ db }: Context): Promise<number> =>
  readingSnapshot(db, (snapshot) => findLastSequenceNumber(db, snapshot));

type Race = { partnerId: string; venueIds: string[]; writers: number; eventsEach: number; limit: number };

/** Writers log events of the venues in turn, all at once, while the partner reads on by `limit`. */
export async function readWhileWriting(
  context: Context,
  { partnerId, venueIds, writers, eventsEach, limit }: Race,
): Promise<{ seen: string[]; written: string[] }> {
  const [seen, written]: [string[], string[]] = [[], []];
  let turn = 0;
  let isWriting = true;
  const anyEvent = (): Draft => {
    const venueId = venueIds[turn % venueIds.length] ?? '';
    turn += 1;
    return {
      _id: randomUUID(),
      type: 'hold_created',
      venueId,
      holdId: randomUUID(),
      originatorId: partnerId,
    };
  };
  const writer = async () => {
    for (let count = 0; count < eventsEach; count += 1) {
      const event = anyEvent();
      await logEvents(context, [event]);
      written.push(event._id);
    }
  };
  const reader = async () => {
    for (let after = 0, isLast = false; ; ) {
      isLast = !isWriting;
      const { events, next } = await readFeed(context, partnerId, { after, limit });
      seen.push(...events.map(({ _id }) => _id));
      after = next;
      if (isLast && events.length === 0) return;
    }
  };
  const writing = Promise.all(Array.from({ length: writers }, writer)).finally(() => {
    isWriting = false;
  });
  await Promise.all([reader(), writing]);
  return { seen, written };
}
