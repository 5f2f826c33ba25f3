import { isAccepted, newSecret } from '../deliveries.ts';
import { fullFeedPages } from '../feed-pages.ts';
import { LostToOthers, retrying } from '../lost-slots.ts';
import type { Scenario } from '../scenario.ts';
import { expectThat } from '../scenario.ts';
import { catchUp, deliver, deliverAccepted, giveSecret, shownSlot, takeShownSlot, timesHandled } from '../trial.ts';
import { anyEvent, expectHandled, expectRefused, fresh } from '../trial-events.ts';

/** Pairs of concurrent deliveries: enough for at least one race. */
const TWINS = 5;

/** Level 6: genuine deliveries and missed events. */
export const EVENTS: readonly Scenario[] = [
  {
    id: 'duplicate-handled-once',
    level: 6,
    title: 'An event that is delivered twice is handled once',
    remedy: 'Recognise an event by its event_id, and respond 2xx if you have handled it. delivery_id is new each time.',
    run: async (trial) => {
      const secret = await giveSecret(trial);
      const event = fresh(await anyEvent(trial));
      for (const attempt of [1, 2]) await deliverAccepted(trial, event, { secret, attempt }, `Attempt ${attempt}`);
      await Promise.all(
        [3, 4].map((attempt) => deliverAccepted(trial, event, { secret, attempt }, `Attempt ${attempt}`)),
      );
      await expectHandled(trial, 'The event', event);
      const after = fresh(event);
      await deliverAccepted(trial, after, { secret }, 'The next event');
      await expectHandled(trial, 'The next event', after);
      const [times = 0] = await timesHandled(trial, [event]);
      expectThat(times === 1, `The event was handled ${times} times.`);
    },
  },
  {
    id: 'twin-deliveries-handled-once',
    level: 6,
    title: 'Concurrent deliveries of one event are handled once',
    remedy:
      'Store the event_id atomically before you handle the event, for example with a unique key, so that only one of two deliveries wins.',
    run: async (trial) => {
      const secret = await giveSecret(trial);
      const event = await anyEvent(trial);
      const events = Array.from({ length: TWINS }, () => fresh(event));
      for (const each of events) {
        const twins = await Promise.all([1, 2].map((attempt) => deliver(trial, each, { secret, attempt })));
        // One of two is enough: the service retries a rejected delivery.
        const [answer] = twins;
        expectThat(twins.some(isAccepted), `Neither of two concurrent deliveries was accepted: ${answer?.text}.`);
      }
      await expectHandled(trial, 'An event that was delivered twice at the same time', ...events);
      const after = fresh(event);
      await deliverAccepted(trial, after, { secret }, 'The next event');
      await expectHandled(trial, 'The next event', after);
      const most = Math.max(...(await timesHandled(trial, events)));
      expectThat(most === 1, `An event that was delivered twice at the same time was handled ${most} times.`);
    },
  },
  {
    id: 'disorder-survived',
    level: 6,
    title: 'An older event that comes after a newer one does not undo it',
    remedy:
      'Read the day of the slot again after an event and store what you read. Or keep the newest timestamp of each slot and drop older events.',
    run: async (trial) => {
      const { sandbox, feed } = trial;
      const secret = await giveSecret(trial);
      await retrying(async () => {
        const offer = await sandbox.takenSlot();
        const { bookingId: booking_id } = offer;
        await shownSlot(trial, offer);
        const taken = await feed.eventOf({ event_type: 'booking_created', booking_id });
        await sandbox.releaseByOther(offer);
        const freed = await feed.eventOf({ event_type: 'booking_cancelled', booking_id });
        for (const event of [freed, taken]) {
          await deliverAccepted(trial, event, { secret }, `A genuine ${event.event_type}`);
          await expectHandled(trial, `A genuine ${event.event_type}`, event);
        }
        const { is_available: isShownFree } = await shownSlot(trial, offer);
        if (!(await sandbox.slotNow(offer)).is_available) throw new LostToOthers();
        expectThat(isShownFree, 'The slot is free; after an older event it is shown as taken.');
      });
    },
  },
  {
    id: 'webhook-keeps-fresh',
    level: 6,
    title: 'A change is shown as soon as its delivery was handled',
    remedy: 'Mark the cached venue as stale after every event, also after changes by others.',
    run: async (trial) => {
      const { feed } = trial;
      const secret = await giveSecret(trial);
      const offer = await takeShownSlot(trial);
      const { bookingId: booking_id } = offer;
      const event = await feed.eventOf({ event_type: 'booking_created', booking_id });
      await deliverAccepted(trial, event, { secret }, 'A genuine booking_created');
      await expectHandled(trial, 'A genuine booking_created', event);
      const { is_available: isFree } = await shownSlot(trial, offer);
      expectThat(!isFree, 'The event of the sale was handled, and the slot is still shown as free.');
    },
  },
  {
    id: 'unknown-type-harmless',
    level: 6,
    title: 'An event of an unknown type is accepted, and the next event is handled',
    remedy: 'Respond 2xx to a genuine event of an unknown type. Any other response causes retries.',
    run: async (trial) => {
      const secret = await giveSecret(trial);
      const event = await anyEvent(trial);
      const unknown = {
        ...fresh(event),
        event_type: 'venue_renamed',
        slot_id: event.slot_id,
        details: { name: 'Arena' },
      };
      await deliverAccepted(trial, unknown, { secret }, 'A genuine event of the type venue_renamed');
      const next = fresh(event);
      await deliverAccepted(trial, next, { secret }, 'The event after the unknown one');
      await expectHandled(trial, 'The event after the unknown one', next);
    },
  },
  {
    id: 'unknown-event-fields-harmless',
    level: 6,
    title: 'Fields that are added to events later change nothing',
    remedy: 'Ignore unknown fields of an event: the service adds fields at any time.',
    run: async (trial) => {
      const secret = await giveSecret(trial);
      const event = fresh(await anyEvent(trial));
      const grown = { ...event, added_later: [1, 2], details: { ...event.details, court_colour: 'blue' } };
      await deliverAccepted(trial, grown, { secret }, 'A genuine event with fields that are new');
      await expectHandled(trial, 'A genuine event with fields that are new', grown);
    },
  },
  {
    id: 'rotation-overlap-accepted',
    level: 6,
    title: 'While a rotation overlaps, an endpoint with the old secret accepts deliveries',
    remedy: 'Check both X-Service-Signature and X-Service-Signature-Previous against your secret: one match is enough.',
    run: async (trial) => {
      const secret = await giveSecret(trial);
      const rotated = newSecret();
      const [before, after] = [fresh(await anyEvent(trial)), fresh(await anyEvent(trial))];
      const both = { secret: rotated, previousSecret: secret };
      await deliverAccepted(trial, before, both, 'A delivery signed with the new secret and the endpoint’s old one');
      await expectHandled(trial, 'A delivery signed with the new secret and the endpoint’s old one', before);
      await trial.integration.do('set_webhook_secret', { secret_key: rotated });
      await deliverAccepted(trial, after, both, 'After set_webhook_secret, a delivery with both signatures');
      await expectHandled(trial, 'After set_webhook_secret, a delivery with both signatures', after);
    },
  },
  {
    id: 'old-secret-refused',
    level: 6,
    title: 'Once the endpoint has the new secret, it rejects the old one',
    remedy:
      'When you get the new secret, drop the old one, which may have leaked. During an overlap, deliveries carry a signature by each secret.',
    run: async (trial) => {
      const old = await giveSecret(trial);
      await giveSecret(trial);
      const event = fresh(await anyEvent(trial));
      const answer = await deliver(trial, event, { secret: old });
      await expectRefused(trial, event, answer, 'A delivery that was signed with the old secret');
    },
  },
  {
    id: 'outage-recovered',
    level: 6,
    title: 'Events missed during an outage are found in the feed, over many pages',
    remedy: 'Call GET /api/v1/partner/events?after=<next_cursor> until a page is not full, and store the cursor.',
    run: async (trial) => {
      const { proxy, integration, feed } = trial;
      await integration.do('reconcile', {});
      const offer = await takeShownSlot(trial);
      const { bookingId: booking_id } = offer;
      const missed = await feed.eventOf({ event_type: 'booking_created', booking_id });
      for (const rule of fullFeedPages(missed)) proxy.arm(rule);
      await integration.do('reconcile', {});
      await expectHandled(trial, 'The missed event, which comes after two full pages of other events,', missed);
      const { is_available: isFree } = await shownSlot(trial, offer);
      expectThat(!isFree, 'The slot was sold during the outage, and is shown as free after reconcile.');
    },
  },
  {
    id: 'feed-and-webhook-once',
    level: 6,
    title: 'An event that came as a delivery is not handled again when the feed has it',
    remedy: 'Handle events of the feed and of webhooks with the same code, which recognises an event by its event_id.',
    run: async (trial) => {
      const secret = await giveSecret(trial);
      const taken = await trial.sandbox.takenSlot();
      const event = await trial.feed.eventOf({ event_type: 'booking_created', booking_id: taken.bookingId });
      await deliverAccepted(trial, event, { secret }, 'A genuine booking_created');
      await expectHandled(trial, 'A genuine booking_created', event);
      await catchUp(trial, taken);
      const [times = 0] = await timesHandled(trial, [event]);
      expectThat(times === 1, `The event was handled ${times} times: once by webhook, and again from the feed.`);
    },
  },
];
