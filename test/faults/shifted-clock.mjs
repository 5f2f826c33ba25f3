/**
 * Preloaded with `node --import`: shifts the program's clock by the milliseconds in the file CLOCK_SHIFT_FILE (a
 * double). Each reading of the clock reads the file, so a test can set the clock while the program runs. Timers and the
 * monotonic clock go on, as on a real host. CLOCK_SHIFTS_ALL shifts the monotonic clock too, for a control: no host
 * does that, and no program can withstand it.
 */
import { openSync, readSync } from 'node:fs';

const file = openSync(process.env.CLOCK_SHIFT_FILE ?? '', 'r');
const shift = new Float64Array(1);
const shiftMs = () => {
  readSync(file, shift, 0, shift.byteLength, 0);
  return shift[0];
};

const HostDate = Date;
const now = () => HostDate.now() + shiftMs();

globalThis.Date = new Proxy(HostDate, {
  construct: (target, values, newTarget) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
  apply: (target) => new target(now()).toString(),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});
Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + shiftMs() });

if (process.env.CLOCK_SHIFTS_ALL === 'true') {
  const monotonicNow = performance.now.bind(performance);
  Object.defineProperty(performance, 'now', { value: () => monotonicNow() + shiftMs() });
}
