// Loaded, together with the index, when the search field first gets the focus.

import MiniSearch from 'minisearch';
import { SEARCH_OPTIONS } from './search-options.ts';

const MAX_RESULTS = 8;

/** Loads the index. Returns a function from words to the best results, each `{url, page, heading}`. */
export async function openSearch(indexUrl) {
  const response = await fetch(indexUrl);
  if (!response.ok) throw new Error(`The search index could not be loaded: ${response.status}`);
  const index = MiniSearch.loadJSON(await response.text(), SEARCH_OPTIONS);
  return (words) =>
    index
      .search(words)
      .slice(0, MAX_RESULTS)
      .map(({ id, page, heading }) => ({ url: id, page, heading }));
}
