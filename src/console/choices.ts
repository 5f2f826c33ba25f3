import { getVenue, listVenues, type VenueRow } from '../catalog/venues/venues.service.ts';
import { DomainError } from '../domain/errors.ts';
import { getPartner, listPartners } from '../partners/partners.service.ts';
import type { Choice } from './listing.tsx';
import type { ConsoleDeps } from './request.ts';

/** A longer list of choices is of no use; a partner's page links to its own listings. */
const MOST_CHOICES = 500;

/** The partners of a choice, oldest first, and the chosen partner even if it is beyond the limit. */
export async function partnerChoices(deps: ConsoleDeps, chosen: string | undefined): Promise<Choice[]> {
  const { rows } = await listPartners(deps.db, { limit: MOST_CHOICES });
  return withChosen(rows, chosen, (id) => getPartner(deps, id)).then(toChoices);
}

/** The venues of a choice, by name. */
export async function venueChoices(deps: ConsoleDeps, chosen: string | undefined): Promise<Choice[]> {
  return toChoices(await venuesToChoose(deps, chosen));
}

/** The venues of a choice as stored, and the chosen venue even if it is beyond the limit. */
export async function venuesToChoose(deps: ConsoleDeps, chosen?: string): Promise<VenueRow[]> {
  const { rows } = await listVenues(deps.db, { limit: MOST_CHOICES });
  return withChosen(rows, chosen, (id) => getVenue(deps, id));
}

async function withChosen<Row extends { _id: string }>(
  rows: Row[],
  chosen: string | undefined,
  read: (id: string) => Promise<Row>,
): Promise<Row[]> {
  if (chosen === undefined || rows.length < MOST_CHOICES || rows.some(({ _id }) => _id === chosen)) return rows;
  const found = await read(chosen).catch((err: unknown) => {
    if (err instanceof DomainError) return undefined;
    throw err;
  });
  return found === undefined ? rows : [...rows, found];
}

const toChoices = (rows: readonly { _id: string; name: string }[]): Choice[] =>
  rows.map(({ _id, name }) => [_id, name]);
