import type { ObjectSchema } from 'joi';
import type { AvailabilityDeps } from '../availability/availability.service.ts';
import type { BookingDeps } from '../bookings/bookings.service.ts';
import { validateInput } from '../http/validate.ts';
import type { PartnerDeps } from '../partners/partners.service.ts';
import type { FieldFault } from '../platform/errors.ts';
import { DomainError } from '../platform/errors.ts';
import type { Page } from './layout.tsx';

/** All that the pages need: they read by the services of the components, and change nothing. */
export type ConsoleDeps = AvailabilityDeps & BookingDeps & PartnerDeps;

/** What a page is asked for; fields of the query that were left blank are not in it. */
export type PageRequest = { path: string; params: Record<string, string>; query: Record<string, string> };

/** Reads what the page shows. @throws DomainError of what there is not */
export type PageHandler = (deps: ConsoleDeps, request: PageRequest) => Promise<Page | { redirect: string }>;

/** The query as its schema reads it, or what is wrong with it, to be said beside its fields. */
export function readQuery<Query>(
  schema: ObjectSchema<Query>,
  query: PageRequest['query'],
): { query: Query; faults?: undefined } | { query: undefined; faults: FieldFault[] } {
  try {
    return { query: validateInput(query, schema, {}, undefined).query as Query };
  } catch (err) {
    if (err instanceof DomainError && err.extras.details !== undefined) {
      return { query: undefined, faults: err.extras.details };
    }
    throw err;
  }
}
