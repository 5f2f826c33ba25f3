import MiniSearch from 'minisearch';
import { SEARCH_OPTIONS } from './assets/search-options.ts';
import { slugOf } from './markdown.ts';
import type { SitePage } from './pages.ts';
import { plain } from './pages.ts';

/** A search result: a heading of a page with the text below it. */
type Part = { id: string; page: string; heading: string; text: string };

/** The search index as JSON. Browsers load it with the search. */
export function searchIndex(pages: readonly SitePage[]): string {
  const index = new MiniSearch<Part>(SEARCH_OPTIONS);
  index.addAll(pages.flatMap(partsOf));
  return JSON.stringify(index);
}

function partsOf({ url, title, markdown, group }: SitePage): Part[] {
  // Index the page of an error as one part: all these pages have the same headings.
  if (group === undefined) return [{ id: url, page: 'Errors', heading: title, text: textOf(markdown) }];
  const [first = '', ...sections] = markdown.replace(/^# .*\n/, '').split(/^(?=##+ )/m);
  const parts = sections.map((section) => {
    const heading = plain(/^##+ (.+)$/m.exec(section)?.[1] ?? '');
    return { id: `${url}#${slugOf(heading)}`, page: title, heading, text: textOf(section) };
  });
  return [{ id: url, page: title, heading: title, text: textOf(first) }, ...parts];
}

/** The text without code blocks, because a search for a field would match every example. Inline code stays. */
const textOf = (section: string): string =>
  plain(section.replaceAll(/^```[^]*?^```$/gm, '').replaceAll(/^#+ .*$|^\|[-|]+$|\|/gm, ' ')).slice(0, 2000);
