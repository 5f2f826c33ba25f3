import type { ApiRequest, CallApi } from './client.ts';

/** The largest page that there is. */
const PAGE = '200';

export type Page = { success: true; count: number; data: unknown[]; next_cursor?: string | null };

/** Everything that a listing has, page by page, as one page; of a listing without pages the one response. */
export async function readAll(call: CallApi, request: ApiRequest): Promise<Page> {
  const data: unknown[] = [];
  let cursor: string | null | undefined;
  do {
    const query: Record<string, string> = { limit: PAGE, ...request.query, ...(cursor ? { cursor } : {}) };
    const page = (await call({ ...request, query })) as Page;
    data.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor);
  return { success: true, count: data.length, data };
}
