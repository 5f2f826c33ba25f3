import type { ObjectSchema } from 'joi';
import type { BookingDeps } from '../booking/bookings/bookings.service.ts';
import type { SlotDeps } from '../catalog/slots/slots.service.ts';
import { DomainError, type FieldFault } from '../domain/errors.ts';
import { checkInput } from '../http/validate.ts';
import type { PartnerDeps } from '../partners/partners.service.ts';
import type { Page } from './layout.tsx';

/** The dependencies of the pages, which read through services and change nothing. */
export type ConsoleDeps = SlotDeps & BookingDeps & PartnerDeps;

/** The request of a page: the id in its path, if there is one, and the query without blank fields. */
export type PageRequest = { id: string; query: Record<string, string> };

/** Reads the content of the page. @throws DomainError for a missing object */
export type PageHandler = (deps: ConsoleDeps, request: PageRequest) => Promise<Page | { redirect: string }>;

/** The result, or undefined if the object does not exist. */
export function ifFound<Found>(reading: Promise<Found>): Promise<Found | undefined> {
  return reading.catch((err: unknown) => {
    if (err instanceof DomainError) return undefined;
    throw err;
  });
}

/**
 * The parsed query. If it is invalid: the defaults and the errors. Unknown fields are ignored.
 */
export function readQuery<Query>(
  schema: ObjectSchema<Query>,
  query: PageRequest['query'],
): { query: Query; faults?: FieldFault[] } {
  const rest = { querySchema: schema, ignoredInQuery: Object.keys(query) };
  const checked = checkInput({ ...rest, query });
  if (checked.faults.length === 0) return { query: checked.query as Query };
  return { query: checkInput({ ...rest, query: {} }).query as Query, faults: checked.faults };
}
