import { getVenue, listVenues, type VenueRow } from '../catalog/venues/venues.service.ts';
import { getPartner, listPartners } from '../partners/partners.service.ts';
import type { Choice } from './forms.tsx';
import { type ConsoleDeps, ifFound } from './request.ts';

/** A longer list of choices is of no use; a partner's page links to its own listings. */
const MOST_CHOICES = 500;

/** The partners of a choice, oldest first, and the chosen partner even if it is beyond the limit. */
export async function partnerChoices(deps: ConsoleDeps, chosen: string | undefined): Promise<Choice[]> {
  const { rows } = await listPartners(deps.db, { limit: MOST_CHOICES });
  return withChosen(rows, chosen, (id) => getPartner(deps, id)).then(toChoices);
}

/** The venues of a choice, by name, and the one that is chosen. */
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
  const found = await ifFound(read(chosen));
  return found === undefined ? rows : [...rows, found];
}

export const toChoices = (rows: readonly { _id: string; name: string }[]): Choice[] =>
  rows.map(({ _id, name }) => [_id, name]);
