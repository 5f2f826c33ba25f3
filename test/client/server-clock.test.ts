import { expect, test } from '@jest/globals';
import { createServerClock } from '../../packages/client/src/server-clock.ts';

const START = Date.parse('2026-11-20T09:15:00.000Z');

/** A client clock and the server's clock. This machine's wall clock is `aheadMs` ahead of the server. */
function world(aheadMs: number) {
  const local = { wallMs: START + aheadMs, steadyMs: 5_000 };
  let serverMs = START;
  const clock = createServerClock(() => ({ ...local }));
  return {
    clock,
    pass: (ms: number) => {
      serverMs += ms;
      local.wallMs += ms;
      local.steadyMs += ms;
    },
    /** The Date header, which Node truncates to seconds. */
    date: () => new Date(serverMs).toUTCString(),
    /** The machine sleeps, and its steady clock stands still. */
    sleep: (ms: number) => {
      serverMs += ms;
      local.wallMs += ms;
    },
    setWallBack: (byMs: number) => {
      local.wallMs -= byMs;
    },
    holdFor: (seconds: number) => ({
      status: 'ACTIVE' as const,
      hold_expiry_at: new Date(serverMs + seconds * 1000).toISOString(),
    }),
    serverMs: () => serverMs,
  };
}

test.each([-600_000, 0, 600_000])(
  'with a clock %i ms ahead of the server, secondsLeft is never too large, and at most about two seconds too small',
  (aheadMs) => {
    const { clock, pass, date, holdFor, serverMs } = world(aheadMs);
    const hold = holdFor(600);
    for (let response = 0; response < 200; response += 1) {
      const sentAt = clock.read();
      pass(37);
      const header = date();
      pass(113);
      clock.observe(header, sentAt);
      const left = (Date.parse(hold.hold_expiry_at) - serverMs()) / 1000;
      expect(clock.secondsLeft(hold)).toBeLessThanOrEqual(left);
      expect(clock.secondsLeft(hold)).toBeGreaterThan(left - 2.2);
    }
  },
);

test('secondsLeft is never too large, even after sleep or after a wall clock was set back', () => {
  const { clock, pass, date, sleep, setWallBack, holdFor } = world(0);
  const hold = holdFor(600);
  clock.observe(date(), clock.read());
  sleep(100_000);
  expect(clock.secondsLeft(hold)).toBeLessThanOrEqual(500);
  setWallBack(3_600_000);
  pass(10_000);
  clock.observe(date(), clock.read());
  expect(clock.secondsLeft(hold)).toBeLessThanOrEqual(490);
  expect(clock.secondsLeft(hold)).toBeGreaterThan(487);
});

test('a slow response makes secondsLeft smaller, and the next response corrects that', () => {
  const { clock, pass, date, holdFor } = world(0);
  const hold = holdFor(600);
  const sentAt = clock.read();
  pass(9_000);
  clock.observe(date(), sentAt);
  const before = clock.secondsLeft(hold);
  clock.observe(date(), clock.read());
  expect([before, clock.secondsLeft(hold)]).toEqual([581, 590]);
});

test('secondsLeft is 0 if the hold has ended, even long ago', () => {
  const { clock, date, holdFor } = world(0);
  clock.observe(date(), clock.read());
  expect(clock.secondsLeft(holdFor(-100))).toBe(0);
  expect(clock.secondsLeft({ ...holdFor(600), status: 'RELEASED' })).toBe(0);
});

test('secondsLeft throws before a response with a Date header', () => {
  const { clock, holdFor } = world(0);
  clock.observe(null, clock.read());
  clock.observe('yesterday', clock.read());
  expect(() => clock.secondsLeft(holdFor(600))).toThrow('secondsLeft needs a response first');
});
