import { describe, expect, test } from '@jest/globals';
import type { AttemptError, DeliveryState } from '../../src/webhooks/deliveries/deliveries.model.ts';
import type { AfterAttempt } from '../../src/webhooks/deliveries/retry-schedule.rules.ts';
import { afterAttempt, attemptsLeft, maxAttempts } from '../../src/webhooks/deliveries/retry-schedule.rules.ts';

const config = { webhookRetryDelaysSeconds: [300, 900, 1800, 3600] };

type Case = [
  given: { state: DeliveryState; attemptsMade: number; error: AttemptError | null },
  then: [AfterAttempt['outcome'], DeliveryState, attemptsMade: number, nextAttemptInMs: number | null],
];

const dead = (attemptsMade: number, error: AttemptError | null) =>
  ({ state: 'dead_letter', attemptsMade, error }) as const;
const first = (error: AttemptError | null) => ({ state: 'pending', attemptsMade: 0, error }) as const;
const later = (attemptsMade: number, error: AttemptError | null) =>
  ({ state: 'retrying', attemptsMade, error }) as const;

describe('after an attempt', () => {
  test.each<Case>([
    [first(null), ['succeeded', 'succeeded', 1, null]],
    [later(3, null), ['succeeded', 'succeeded', 4, null]],
    [dead(5, null), ['succeeded', 'succeeded', 6, null]],

    [first('timeout'), ['failed', 'retrying', 1, 300_000]],
    [later(1, 'http_status'), ['failed', 'retrying', 2, 900_000]],
    [later(2, 'dns_error'), ['failed', 'retrying', 3, 1_800_000]],
    [later(3, 'redirect'), ['failed', 'retrying', 4, 3_600_000]],
    [later(4, 'http_status'), ['failed', 'dead_letter', 5, null]],
    [dead(5, 'http_status'), ['failed', 'dead_letter', 6, null]],
    // More attempts than are configured now: the setting may have been reduced.
    [later(7, 'http_status'), ['failed', 'dead_letter', 8, null]],

    [first('interrupted'), ['interrupted', 'pending', 0, 0]],
    [later(4, 'interrupted'), ['interrupted', 'retrying', 4, 0]],
    [later(4, 'subscription_changed'), ['interrupted', 'retrying', 4, 0]],
    [dead(5, 'subscription_changed'), ['interrupted', 'dead_letter', 5, null]],
  ])('%j → %j', ({ error, ...before }, [outcome, state, attemptsMade, nextAttemptInMs]) => {
    const isNewDeadLetter = state === 'dead_letter' && before.state !== 'dead_letter';
    const expected = { outcome, state, attemptsMade, nextAttemptInMs, isNewDeadLetter };
    expect(afterAttempt(config, before, error)).toEqual(expected);
  });

  test('a delay of a fraction of a second is rounded to whole milliseconds', () => {
    const halves = { webhookRetryDelaysSeconds: [0.0005, 1.1] };
    expect(afterAttempt(halves, first('timeout'), 'timeout').nextAttemptInMs).toBe(1);
    expect(afterAttempt(halves, later(1, null), 'timeout').nextAttemptInMs).toBe(1100);
  });

  test('without delays the first failure is the last', () => {
    const none = { webhookRetryDelaysSeconds: [] };
    expect(afterAttempt(none, first(null), 'timeout').state).toBe('dead_letter');
  });
});

test('a series has one attempt more than delays; at least one attempt is always left', () => {
  expect(maxAttempts(config)).toBe(5);
  expect([0, 1, 4, 5, 9].map((made) => attemptsLeft(config, made))).toEqual([5, 4, 1, 1, 1]);
});
