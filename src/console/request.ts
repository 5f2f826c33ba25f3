import type { ObjectSchema } from 'joi';
import type { BookingDeps } from '../booking/bookings/bookings.service.ts';
import type { SlotDeps } from '../catalog/slots/slots.service.ts';
import { DomainError, type FieldFault } from '../domain/errors.ts';
import { checkInput } from '../http/validate.ts';
import type { PartnerDeps } from '../partners/partners.service.ts';
import type { Page } from './layout.tsx';

/** All that the pages need: they read by the services of the components, and change nothing. */
export type ConsoleDeps = SlotDeps & BookingDeps & PartnerDeps;

/** What a page is asked for; fields of the query that were left blank are not in it. */
export type PageRequest = { path: string; params: Record<string, string>; query: Record<string, string> };

/** Reads what the page shows. @throws DomainError of what there is not */
export type PageHandler = (deps: ConsoleDeps, request: PageRequest) => Promise<Page | { redirect: string }>;

/** What is read, or undefined if it does not exist. */
export function ifFound<Found>(reading: Promise<Found>): Promise<Found | undefined> {
  return reading.catch((err: unknown) => {
    if (err instanceof DomainError) return undefined;
    throw err;
  });
}

/**
 * The query as its schema reads it; or that of an empty one, with what is wrong. Other fields of the address are ignored.
 */
export function readQuery<Query>(
  schema: ObjectSchema<Query>,
  query: PageRequest['query'],
): { query: Query; faults?: FieldFault[] } {
  const rest = { body: {}, bodySchema: undefined, querySchema: schema, ignoredInQuery: Object.keys(query) };
  const checked = checkInput({ ...rest, query });
  if (checked.faults.length === 0) return { query: checked.query as Query };
  return { query: checkInput({ ...rest, query: {} }).query as Query, faults: checked.faults };
}
