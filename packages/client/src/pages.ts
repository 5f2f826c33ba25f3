import type { CallOptions, Input, PagedOperationId, Success } from './operation-types.ts';

type Page = { data: unknown[]; next_cursor: string | null };
type PagedInput = { query?: Record<string, unknown> };

/** The event feed takes its cursor as `after` and has no last page. */
const FEED: PagedOperationId = 'listEvents';
/** The default `limit` for the feed. A page with fewer events than the limit is the last page for now. */
const LARGEST_PAGE = 200;

export type Pages = <Id extends PagedOperationId>(
  operation: Id,
  ...args: Partial<Input<Id>> extends Input<Id>
    ? [input?: Input<Id>, options?: CallOptions]
    : [input: Input<Id>, options?: CallOptions]
) => AsyncGenerator<Success<Id>, void, undefined>;

/**
 * Yields all pages of a listing, or the pages of the feed up to now. Reads a page when the loop asks for it.
 */
export async function* pagesOf(
  call: (input: PagedInput) => Promise<Page>,
  operation: PagedOperationId,
  { query = {}, ...input }: PagedInput,
): AsyncGenerator<Page, void, undefined> {
  const isFeed = operation === FEED;
  const cursorName = isFeed ? 'after' : 'cursor';
  const firstQuery = isFeed ? { ...query, limit: query['limit'] ?? LARGEST_PAGE } : query;
  for (let cursor = query[cursorName]; ; ) {
    const page = await call({ ...input, query: { ...firstQuery, [cursorName]: cursor } });
    yield page;
    if (page.next_cursor === null || (isFeed && page.data.length < Number(firstQuery['limit']))) return;
    cursor = page.next_cursor;
  }
}
