export type Progress = ReturnType<typeof createProgress>;

/** If the gap between two checks is longer, the process was frozen or had no CPU. */
const STANDSTILL_MS = 5000;
const CHECK_EVERY_MS = 1000;

export function createProgress() {
  const expected = new Map<string, { beatAtMs: number; atMostMs: number }>();
  let checkedAtMs = performance.now();
  const check = (): void => {
    const nowMs = performance.now();
    const stoodStillMs = nowMs - checkedAtMs;
    checkedAtMs = nowMs;
    if (stoodStillMs < STANDSTILL_MS) return;
    for (const each of expected.values()) each.beatAtMs += stoodStillMs;
  };
  setInterval(check, CHECK_EVERY_MS).unref();
  return {
    /** From now on `beat` must be called at least every `atMostMs`. */
    expect(name: string, atMostMs: number) {
      const entry = { beatAtMs: performance.now(), atMostMs };
      expected.set(name, entry);
      return {
        beat: (): void => {
          entry.beatAtMs = performance.now();
        },
      };
    },
    names: () => [...expected.keys()],
    /** Overdue work. Time in which the whole process stood still does not count. */
    stalls() {
      check();
      const nowMs = performance.now();
      return [...expected]
        .filter(([, { beatAtMs, atMostMs }]) => nowMs - beatAtMs > atMostMs)
        .map(([name, { beatAtMs }]) => ({ name, silent_seconds: Math.floor((nowMs - beatAtMs) / 1000) }));
    },
  };
}
