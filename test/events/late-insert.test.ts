import { afterAll, expect, test } from '@jest/globals';
import { readFeed } from '../../src/events/feed.service.ts';
import { logEvents } from '../../src/events/log-events.service.ts';
import { findOpenRanges } from '../../src/events/sequence-numbers.store.ts';
import { startCutProxy } from '../faults/cut-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { anyPartner, anyVenue } from '../support/factories.ts';
import { startService } from '../support/service.ts';
import { databaseUri, freshName } from '../support/service-environment.ts';
import { anyEvent } from './any-event.ts';

const uri = new URL(databaseUri(freshName()));
const proxy = await startCutProxy(Number(uri.port));
uri.port = String(proxy.port);
// The first option keeps the driver from bypassing the proxy. The others make the driver recover soon after a cut.
uri.search = 'directConnection=true&serverMonitoringMode=poll&minHeartbeatFrequencyMS=10';
const service = await startService({ MONGODB_URI: uri.toString() });
afterAll(async () => {
  await service.stop();
  await proxy.close();
});

test('an event whose insert reaches MongoDB after its batch has failed is in the feed, beyond every reader’s position', async () => {
  const { db } = service.context;
  const venue = await anyVenue(service);
  const partner = await anyPartner(service, [venue.id]);
  const read = (after: number) => readFeed({ db }, partner.id, { after, limit: 10 });
  const event = anyEvent({ venueId: venue.id, originatorId: partner.id });
  // The proxy holds back the insert and the driver's retry.
  const endStrike = proxy.strike({ command: 'insert', collection: 'events' }, 'request late', 2);

  await expect(logEvents({ db }, [event])).rejects.toThrow(/timed out|connection/);

  expect(endStrike()).toBe(2);
  await eventually('the numbers are no longer open', async () => (await findOpenRanges(db)).length === 0);
  const before = await read(0);
  expect(before.events).toEqual([]);
  await proxy.deliverLate();
  expect((await logEvents({ db }, [event])).failures).toEqual(new Map());
  await eventually('the feed has it', async () => (await findOpenRanges(db)).length === 0);
  expect((await read(before.next)).events.map(({ _id }) => _id)).toEqual([event._id]);
});
