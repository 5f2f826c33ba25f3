import type { Schemas } from '../operation-types.ts';
import type { Body, Rule } from './proxied-calls.ts';
import { callsOf } from './proxied-calls.ts';

type Slot = Schemas['Slot'];

export const readsAvailability = callsOf('getAvailability', 'getAvailabilityRange');

export const rewriteSlots = (change: (slots: Slot[]) => unknown[]): Rule => ({
  isFor: readsAvailability,
  fault: { kind: 'rewrite', body: (body) => withSlots(body, change) },
});

function withSlots(body: Body, change: (slots: Slot[]) => unknown[]): Body {
  const { slots, days } = body as { slots?: Slot[]; days?: { slots: Slot[] }[] };
  return {
    ...body,
    ...(slots === undefined ? {} : { slots: change(slots) }),
    ...(days === undefined ? {} : { days: days.map((day) => ({ ...day, slots: change(day.slots) })) }),
  };
}

export function withUnknownFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnknownFields);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, withUnknownFields(field)] as const);
  return { ...Object.fromEntries(fields), added_later: { reason: 'Changes only add.' } };
}
