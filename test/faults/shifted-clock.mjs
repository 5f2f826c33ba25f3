/**
 * Loaded before a program (`node --import`), it puts the program's clock off by CLOCK_SHIFT_MS, as that of a host is that nobody
 * sets. Timers and monotonic times stay as they are.
 */
const shiftMs = Number(process.env.CLOCK_SHIFT_MS);
if (!Number.isFinite(shiftMs)) throw new Error('CLOCK_SHIFT_MS must be a number of milliseconds');

const HostDate = Date;
const now = () => HostDate.now() + shiftMs;

globalThis.Date = new Proxy(HostDate, {
  construct: (target, values, newTarget) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
  apply: (target) => new target(now()).toString(),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});
Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + shiftMs });
