import { randomUUID } from 'node:crypto';
import { isAccepted, newSecret, postDelivery, signDelivery, unixSeconds } from '../deliveries.ts';
import type { Scenario } from '../scenario.ts';
import { expectThat } from '../scenario.ts';
import { deliver, deliverAccepted, giveSecret } from '../trial.ts';
import { anyEvent, eventsOfEveryType, expectHandled, expectRefused, fresh } from '../trial-events.ts';

const VERIFY =
  'Verify as /docs/verifying-webhooks of the service describes, or use verifyWebhook of partner-booking-client. Reject with 401.';
/** Outside the replay window of 300 s, even if clocks differ by some seconds. */
const OUTSIDE_WINDOW_SECONDS = 330;
const BURST = 40;

/** Level 6: accepting only genuine deliveries. */
export const RECEIVER: readonly Scenario[] = [
  {
    id: 'genuine-accepted',
    level: 6,
    title: 'Genuine deliveries of every type are accepted and handled',
    remedy: 'Respond 2xx to every subscribed type. The signature key is the whole secret, whsec_ included.',
    run: async (trial) => {
      const secret = await giveSecret(trial);
      for (const event of await eventsOfEveryType(trial)) {
        await deliverAccepted(trial, event, { secret }, `A genuine ${event.event_type}`);
        await expectHandled(trial, `A genuine ${event.event_type}`, event);
      }
    },
  },
  {
    id: 'raw-bytes-verified',
    level: 6,
    title: 'The signature is checked over the exact bytes that arrived',
    remedy: `Read the raw body before anything parses it: serialised again, its bytes differ. ${VERIFY}`,
    run: async (trial) => {
      const secret = await giveSecret(trial);
      const event = fresh(await anyEvent(trial));
      const text = JSON.stringify({ ...event, delivery_id: randomUUID(), note: 'Café ₹ 1\u00a0200' }, null, 3);
      const bytes = Buffer.from(text.replace('"note"', String.raw`"\u006eote"`));
      await deliverAccepted(trial, event, { secret, bytes }, 'A genuine delivery with spaces and letters beyond ASCII');
      await expectHandled(trial, 'A genuine delivery with spaces and letters beyond ASCII', event);
    },
  },
  {
    id: 'tampered-refused',
    level: 6,
    title: 'A delivery that was changed on its way is rejected',
    remedy: VERIFY,
    run: async (trial) => {
      const secret = await giveSecret(trial);
      const event = fresh(await anyEvent(trial));
      const { bytes, headers } = signDelivery(event, { secret });
      const text = Buffer.from(bytes).toString();
      const changes = {
        'another slot in its body': text.replace(String(event.slot_id), `${event.slot_id}X`),
        'a space in its body': `${text.slice(0, -1)} }`,
      };
      for (const [change, tampered] of Object.entries(changes)) {
        const answer = await postDelivery(trial.webhookUrl, { headers, bytes: Buffer.from(tampered) });
        await expectRefused(trial, event, answer, `A delivery that got ${change} after signing`);
      }
    },
  },
  {
    id: 'unsigned-refused',
    level: 6,
    title: 'A delivery without a signature is rejected',
    remedy: `Reject deliveries without X-Service-Signature or X-Service-Timestamp. ${VERIFY}`,
    run: async (trial) => {
      const secret = await giveSecret(trial);
      const event = fresh(await anyEvent(trial));
      const { bytes, headers } = signDelivery(event, { secret });
      for (const omitted of [['x-service-signature'], ['x-service-signature', 'x-service-timestamp']]) {
        const sentHeaders = Object.fromEntries(Object.entries(headers).filter(([name]) => !omitted.includes(name)));
        const answer = await postDelivery(trial.webhookUrl, { bytes, headers: sentHeaders });
        await expectRefused(trial, event, answer, `A delivery without ${omitted.join(' and ')}`);
      }
    },
  },
  {
    id: 'malformed-signature-refused',
    level: 6,
    title: 'A malformed signature is rejected',
    remedy: `Require X-Service-Signature to be sha256= and 64 lower-case hex digits. ${VERIFY}`,
    run: async (trial) => {
      const secret = await giveSecret(trial);
      const event = fresh(await anyEvent(trial));
      const { bytes, headers } = signDelivery(event, { secret });
      const hex = (headers['x-service-signature'] ?? '').replace('sha256=', '');
      const malformed = {
        'without sha256=': hex,
        'that begins with sha1=': `sha1=${hex}`,
        'of 32 hex digits': `sha256=${hex.slice(0, 32)}`,
        'without hex digits': 'sha256=',
      };
      for (const [flaw, signature] of Object.entries(malformed)) {
        const answer = await postDelivery(trial.webhookUrl, {
          bytes,
          headers: { ...headers, 'x-service-signature': signature },
        });
        await expectRefused(trial, event, answer, `A delivery with a signature ${flaw}`);
      }
    },
  },
  {
    id: 'wrong-secret-refused',
    level: 6,
    title: 'A delivery that was signed with another secret is rejected',
    remedy: VERIFY,
    run: async (trial) => {
      await giveSecret(trial);
      const event = fresh(await anyEvent(trial));
      const answer = await deliver(trial, event, { secret: newSecret() });
      await expectRefused(trial, event, answer, 'A delivery that was signed with another secret');
    },
  },
  {
    id: 'old-timestamp-refused',
    level: 6,
    title: 'A timestamp more than 300 s from now is rejected',
    remedy: `Reject an X-Service-Timestamp over 300 s before or after your clock, and keep your clock right (NTP). ${VERIFY}`,
    run: async (trial) => {
      const secret = await giveSecret(trial);
      const event = fresh(await anyEvent(trial));
      for (const [seconds, when] of [
        [-OUTSIDE_WINDOW_SECONDS, 'in the past'],
        [OUTSIDE_WINDOW_SECONDS, 'in the future'],
      ] as const) {
        const answer = await deliver(trial, event, { secret, timestamp: unixSeconds(seconds) });
        await expectRefused(trial, event, answer, `A delivery whose timestamp is ${OUTSIDE_WINDOW_SECONDS} s ${when}`);
      }
    },
  },
  {
    id: 'malformed-timestamp-refused',
    level: 6,
    title: 'A timestamp that is not a number is rejected',
    remedy: `Require X-Service-Timestamp to be digits before you convert it. ${VERIFY}`,
    run: async (trial) => {
      const secret = await giveSecret(trial);
      const event = fresh(await anyEvent(trial));
      for (const timestamp of [`${unixSeconds()}abc`, 'now', `${unixSeconds()}.5`, new Date().toISOString()]) {
        const answer = await deliver(trial, event, { secret, timestamp });
        await expectRefused(trial, event, answer, `A delivery with the timestamp ${timestamp}`);
      }
    },
  },
  {
    id: 'burst-answered',
    level: 6,
    title: `${BURST} concurrent deliveries are each answered within 10 s, and handled`,
    remedy: 'Put a verified delivery on a queue and respond 2xx. Do the work afterwards.',
    run: async (trial) => {
      const secret = await giveSecret(trial);
      const event = await anyEvent(trial);
      const burst = Array.from({ length: BURST }, () => fresh(event));
      const answers = await Promise.all(burst.map((each) => deliver(trial, each, { secret })));
      const failed = answers.filter((answer) => !isAccepted(answer));
      expectThat(
        failed.length === 0,
        `Of ${BURST} concurrent deliveries, ${failed.length} failed: ${failed[0]?.text}.`,
      );
      await expectHandled(trial, 'A delivery of the burst', ...burst);
    },
  },
];
