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
const LOOK_EVERY_MS = 1000;

/** `nowMs` must be monotonic. */
export function createProgress(nowMs: () => number = () => performance.now()): Progress {
  const expected = new Map<string, { beatAt: number; atMostMs: number }>();
  let lookedAt = nowMs();
  const look = (): void => {
    const now = nowMs();
    const stoodStillMs = now - lookedAt;
    lookedAt = now;
    if (stoodStillMs < STANDSTILL_MS) return;
    for (const each of expected.values()) each.beatAt += stoodStillMs;
  };
  setInterval(look, LOOK_EVERY_MS).unref();
  return {
    expect(name, atMostMs) {
      const entry = { beatAt: nowMs(), atMostMs };
      expected.set(name, entry);
      return {
        beat: () => {
          entry.beatAt = nowMs();
        },
      };
    },
    names: () => [...expected.keys()],
    stalls() {
      look();
      const now = nowMs();
      return [...expected]
        .filter(([, { beatAt, atMostMs }]) => now - beatAt > atMostMs)
        .map(([name, { beatAt }]) => ({ name, silent_seconds: Math.floor((now - beatAt) / 1000) }));
    },
  };
}
