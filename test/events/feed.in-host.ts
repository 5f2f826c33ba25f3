import { type EventRow, feedCounterCollection } from '../../src/events/events.model.ts';
import * as log from '../../src/events/log-events.service.ts';
import { findLastSequenceNumber, findOpenRanges } from '../../src/events/sequence-numbers.store.ts';
import { readingSnapshot } from '../../src/platform/mongo.ts';
import { eventually } from '../support/eventually.ts';
import type { Service } from '../support/service.ts';
import { anyEvent } from './any-event.ts';

type Context = Service['context'];

/** The fields of an event that matter to the feed. */
export type EventFields = Pick<EventRow, '_id' | 'type' | 'venueId' | 'holdId' | 'originatorId'>;

/** Logs the events as one batch; resolves when the feed has them, with the number of failed reservations. */
export async function logEvents({ db }: Context, events: readonly EventFields[]): Promise<number> {
  const { failures } = await log.logEvents({ db }, events.map(anyEvent));
  await eventually('their range is closed', async () => (await findOpenRanges(db)).length === 0);
  // A snapshot may be older than the unacknowledged write that closed the range.
  const end = (await feedCounterCollection(db).findOne({ _id: 'feed' }))?.last ?? 0;
  await eventually('the feed has them', async () => (await lastSequenceNumber({ db })) >= end);
  return failures.size;
}

/** The sequence number of the last event in the feed. */
export const lastSequenceNumber = ({ db }: Pick<Context, 'db'>): Promise<number> =>
  readingSnapshot(db, (snapshot) => findLastSequenceNumber(db, snapshot));
