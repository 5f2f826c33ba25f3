import { outsideOfCode } from './links.ts';
import { GROUPS } from './navigation.ts';
import type { SitePage } from './pages.ts';

const SUMMARY = `# Partner Booking Service

> Partners sell time slots on sports courts and turfs over HTTP: read availability, place a hold on a slot, confirm the hold into a
> booking, and get a signed webhook for every change. A call carries the partner's key in the header x-api-key; paths of calls begin
> with /api/v1. All links are relative to the address of the service.
`;

/** A page as Markdown. Links to other pages lead to their Markdown, too. */
export function markdownTwin({ markdown }: SitePage, pages: readonly SitePage[]): string {
  const urls = new Set(pages.map(({ url }) => url));
  return outsideOfCode(markdown, (text) =>
    text.replaceAll(/\]\((\/[^)#\s]*)/g, (link, url: string) => (urls.has(url) ? `](${url}.md` : link)),
  );
}

/** `/llms.txt` in the format of llmstxt.org, with a line about each page. */
export function llmsIndex(pages: readonly SitePage[]): string {
  const line = ({ url, title, description }: SitePage) => `- [${title}](${url}.md): ${description}`;
  const groups = GROUPS.map((group) => {
    const listed = pages.filter((page) => page.group === group);
    const described = '- [OpenAPI description](/openapi.json): every call, its fields and its errors';
    return [`## ${group}\n`, ...listed.map(line), ...(group === 'Reference' ? [described] : [])].join('\n');
  });
  const errors = pages.filter(({ group }) => group === undefined);
  const optional = [
    '## Optional\n',
    '- [One file with all pages above](/llms-full.txt), without the pages of single errors',
    ...errors.map(line),
  ];
  return `${[SUMMARY, ...groups, optional.join('\n')].join('\n\n')}\n`;
}

/** `/llms-full.txt`: the text of all pages in the navigation. */
export function llmsFull(pages: readonly SitePage[]): string {
  const listed = pages.filter(({ group }) => group !== undefined);
  return [SUMMARY, ...listed.map((page) => `<!-- ${page.url} -->\n\n${markdownTwin(page, pages)}`)].join('\n\n');
}
