import type { PartnerClient } from '../client.ts';
import type { StateStore } from './state-file.ts';

/** How far `listen` is behind the feed. */
export type FeedLag = {
  /** Events that it is not done with; with `is_more` at least so many. */
  events: number;
  is_more: boolean;
  /** When the oldest of them happened; null where there is none. */
  oldest: string | null;
};

const PAGE_LIMIT = 200;

/** Reads the feed from where a state stands. */
export async function lagOf(
  client: PartnerClient,
  { state: { cursor, since, handled } }: StateStore,
  signal: AbortSignal,
): Promise<FeedLag> {
  const begin = cursor === null ? (since === null ? {} : { since }) : { after: cursor };
  const { data } = await client.listEvents({ query: { ...begin, limit: PAGE_LIMIT } }, { signal });
  const waiting = data.filter(({ event_id: id }) => !handled.includes(id));
  return {
    events: waiting.length,
    is_more: data.length === PAGE_LIMIT,
    oldest: waiting[0]?.timestamp ?? null,
  };
}
