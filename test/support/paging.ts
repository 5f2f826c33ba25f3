/** One page: the ids in order, and the cursor for the next page; null at the end. */
export type ReadPage<Cursor> = (after: Cursor | null) => Promise<{ ids: string[]; next: Cursor | null }>;

/** Reads all pages in order; `meanwhile` runs concurrently with each read. */
export async function readPages<Cursor>(
  readPage: ReadPage<Cursor>,
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<string[][]> {
  const pages: string[][] = [];
  for (let after: Cursor | null = null; ; ) {
    const [page]: [{ ids: string[]; next: Cursor | null }, unknown] = await Promise.all([readPage(after), meanwhile()]);
    pages.push(page.ids);
    if (page.next === null) return pages;
    after = page.next;
  }
}

/** Faults of a paged listing: ids on it twice, and `expected` ids that are not on it. */
export function pagingFaults(
  pages: readonly string[][],
  expected: Iterable<string>,
): { repeated: string[]; skipped: string[] } {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const id of pages.flat()) (seen.has(id) ? repeated : seen).add(id);
  return { repeated: [...repeated], skipped: [...expected].filter((id) => !seen.has(id)) };
}

export const NO_FAULTS = { repeated: [], skipped: [] };
