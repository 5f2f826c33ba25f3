import MiniSearch from 'minisearch';
import { SEARCH_OPTIONS } from './assets/search-options.ts';
import { slugOf } from './markdown.ts';
import type { SitePage } from './pages.ts';
import { plain } from './pages.ts';

/** What is found: a heading of a page with the text below it. */
type Part = { id: string; page: string; heading: string; text: string };

/** The index that browsers load when somebody searches, as JSON. */
export function searchIndex(pages: readonly SitePage[]): string {
  const index = new MiniSearch<Part>(SEARCH_OPTIONS);
  index.addAll(pages.flatMap(partsOf));
  return JSON.stringify(index);
}

function partsOf({ url, title, markdown, group }: SitePage): Part[] {
  // All pages of errors have the same headings.
  if (group === undefined) return [{ id: url, page: 'Errors', heading: title, text: textOf(markdown) }];
  const [first = '', ...sections] = markdown.replace(/^# .*\n/, '').split(/^(?=##+ )/m);
  const parts = sections.map((section) => {
    const heading = plain(/^##+ (.+)$/m.exec(section)?.[1] ?? '');
    return { id: `${url}#${slugOf(heading)}`, page: title, heading, text: textOf(section) };
  });
  return [{ id: url, page: title, heading: title, text: textOf(first) }, ...parts];
}

/** Without the code, of which one would find the names in every example, but for the codes and fields that the text names. */
const textOf = (section: string): string =>
  plain(section.replaceAll(/^```[^]*?^```$/gm, '').replaceAll(/^#+ .*$|^\|[-|]+$|\|/gm, ' ')).slice(0, 2000);
