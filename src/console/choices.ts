import { getVenue, listVenues, type VenueRow } from '../catalog/venues/venues.service.ts';
import { getPartner, listPartners } from '../partners/partners.service.ts';
import type { Choice } from './forms.tsx';
import { type ConsoleDeps, ifFound } from './request.ts';

/** A longer select field is of no use; for other partners, their pages link to the listings. */
const MAX_CHOICES = 500;

/** The partners for a select field, oldest first; also the chosen partner if it is beyond the limit. */
export async function partnerChoices(deps: ConsoleDeps, chosen: string | undefined): Promise<Choice[]> {
  const { rows } = await listPartners(deps.db, { limit: MAX_CHOICES });
  return withChosen(rows, chosen, (id) => getPartner(deps, id)).then(toChoices);
}

/** The venues for a select field, by name; also the chosen venue if it is beyond the limit. */
export async function venuesToChoose(deps: ConsoleDeps, chosen?: string): Promise<VenueRow[]> {
  const { rows } = await listVenues(deps.db, { limit: MAX_CHOICES });
  return withChosen(rows, chosen, (id) => getVenue(deps, id));
}

async function withChosen<Row extends { _id: string }>(
  rows: Row[],
  chosen: string | undefined,
  read: (id: string) => Promise<Row>,
): Promise<Row[]> {
  if (chosen === undefined || rows.length < MAX_CHOICES || rows.some(({ _id }) => _id === chosen)) return rows;
  const found = await ifFound(read(chosen));
  return found === undefined ? rows : [...rows, found];
}

export const toChoices = (rows: readonly { _id: string; name: string }[]): Choice[] =>
  rows.map(({ _id, name }) => [_id, name]);
