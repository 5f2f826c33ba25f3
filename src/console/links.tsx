import type { VNode } from 'preact';
import type { VenueRow } from '../catalog/venues/venues.service.ts';
import { PLATFORM_PARTNER_ID } from '../domain/change-origin.ts';
import { BOARD_PATH } from '../operations/operators/queue-board.ts';
import { partnerNames } from '../partners/partners.service.ts';
import { localDateOf } from '../platform/calendar.ts';
import type { QueueName } from '../queues/jobs.ts';
import { longDate, withQuery } from './format.rules.ts';
import type { ConsoleDeps } from './request.ts';

export type NameOf = (partnerId: string) => string;

/** Reads the names of partners. The built-in partner is called the platform; an unknown partner's name is its id. */
export async function readNames(deps: ConsoleDeps, partnerIds: readonly string[]): Promise<NameOf> {
  const names = await partnerNames(deps, partnerIds);
  return (partnerId) => (partnerId === PLATFORM_PARTNER_ID ? 'Platform' : (names.get(partnerId) ?? partnerId));
}

/** A partner's name, linked to its page; the built-in partner has no page. */
export function PartnerLink({ id, name }: { id: string; name: string }): VNode {
  return id === PLATFORM_PARTNER_ID ? <span>{name}</span> : <a href={`/partners/${id}`}>{name}</a>;
}

/** The page of a job in Bull Board, which says so if the job is gone. */
export function JobLink({ queue, jobId }: { queue: QueueName; jobId: string }): VNode {
  return <a href={`${BOARD_PATH}/queue/${queue}/${jobId}`}>{`Show in ${queue}`}</a>;
}

/** The venue's grid on the day of an instant. */
export function gridPath({ _id, timeZone }: VenueRow, at: Date): string {
  return withQuery('/', { venue_id: _id, date: localDateOf(at, timeZone) });
}

/** The date of a slot at its venue. */
export function dateOf({ slotStart }: { slotStart: Date }, timeZone: string): string {
  return longDate(localDateOf(slotStart, timeZone));
}

/** The path of the booking's page, or of the hold's page if there is no booking. */
export function claimPath(holdId: string, bookingId: string | null | undefined): string {
  return bookingId === null || bookingId === undefined ? `/holds/${holdId}` : `/bookings/${bookingId}`;
}
