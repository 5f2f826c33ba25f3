/** How pages are indexed, and so how they are searched: the two must be the same. */
export const SEARCH_OPTIONS = {
  fields: ['heading', 'page', 'text'],
  storeFields: ['page', 'heading'],
  // A code is found by its words too: HOLD_EXPIRED by "hold expired".
  tokenize: (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== ''),
  searchOptions: { boost: { heading: 4, page: 3 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' as const },
};
