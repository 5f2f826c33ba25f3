import { InvalidArgumentError, Option } from 'commander';

export const EVENT_TYPES = [
  'hold_created',
  'hold_cancelled',
  'hold_expired',
  'booking_created',
  'booking_cancelled',
  'booking_refunded',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

const NAMES: readonly string[] = EVENT_TYPES;

/** `--events a,b`; default all. */
export function eventsOption(): Option {
  return new Option('--events <types>', `only these, comma-separated: ${EVENT_TYPES.join(', ')}`).argParser(
    (text: string) => {
      const types = text.split(',').map((each) => each.trim());
      const unknown = types.find((each) => !NAMES.includes(each));
      if (unknown !== undefined)
        throw new InvalidArgumentError(`${unknown} is no type of event. Types are ${NAMES.join(', ')}.`);
      return types;
    },
  );
}
