import { InvalidArgumentError, Option } from 'commander';

export const RESERVATION_EVENT_TYPES = [
  'hold_created',
  'hold_cancelled',
  'hold_expired',
  'booking_created',
  'booking_cancelled',
  'booking_refunded',
] as const;

export type ReservationEventType = (typeof RESERVATION_EVENT_TYPES)[number];

export const EVENT_TYPES = [...RESERVATION_EVENT_TYPES, 'availability_changed'] as const;

const NAMES: readonly string[] = EVENT_TYPES;

/** Whether `--events` selects the type. Default: all but `availability_changed`, which partners must select. */
export function isChosen(types: readonly string[] | undefined, type: string): boolean {
  return types === undefined ? type !== 'availability_changed' : types.includes(type);
}

export function eventsOption(): Option {
  return new Option('--events <types>', `only these, comma-separated: ${EVENT_TYPES.join(', ')}`).argParser(
    (text: string) => {
      const types = text.split(',').map((each) => each.trim());
      const unknown = types.find((each) => !NAMES.includes(each));
      if (unknown !== undefined)
        throw new InvalidArgumentError(`${unknown} is not a type of event. Types are ${NAMES.join(', ')}.`);
      return types;
    },
  );
}
