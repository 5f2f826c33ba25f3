export type Stall = { name: string; silent_seconds: number };

export type Progress = {
  /** From now on `beat` must be called at least every `atMostMs`. */
  expect(name: string, atMostMs: number): { beat(): void };
  names(): string[];
  /** Overdue work. Time in which the whole process stood still does not count. */
  stalls(): Stall[];
};

/** If the gap between two checks is longer, the process was frozen or had no CPU. */
const STANDSTILL_MS = 5000;
const CHECK_EVERY_MS = 1000;

/** `nowMs` must be monotonic. */
export function createProgress(nowMs: () => number = () => performance.now()): Progress {
  const expected = new Map<string, { beatAtMs: number; atMostMs: number }>();
  let checkedAtMs = nowMs();
  const check = (): void => {
    const now = nowMs();
    const stoodStillMs = now - checkedAtMs;
    checkedAtMs = now;
    if (stoodStillMs < STANDSTILL_MS) return;
    for (const each of expected.values()) each.beatAtMs += stoodStillMs;
  };
  setInterval(check, CHECK_EVERY_MS).unref();
  return {
    expect(name, atMostMs) {
      const entry = { beatAtMs: nowMs(), atMostMs };
      expected.set(name, entry);
      return {
        beat: () => {
          entry.beatAtMs = nowMs();
        },
      };
    },
    names: () => [...expected.keys()],
    stalls() {
      check();
      const now = nowMs();
      return [...expected]
        .filter(([, { beatAtMs, atMostMs }]) => now - beatAtMs > atMostMs)
        .map(([name, { beatAtMs }]) => ({ name, silent_seconds: Math.floor((now - beatAtMs) / 1000) }));
    },
  };
}
