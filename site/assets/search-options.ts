/** Options for both indexing and searching, which must agree. */
export const SEARCH_OPTIONS = {
  fields: ['heading', 'page', 'text'],
  storeFields: ['page', 'heading'],
  // Split codes into words, so that "hold expired" finds HOLD_EXPIRED.
  tokenize: (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== ''),
  searchOptions: { boost: { heading: 4, page: 3 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' as const },
};
