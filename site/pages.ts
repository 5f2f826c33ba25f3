import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { errorPages } from './error-pages.ts';
import { createLinks } from './links.ts';
import type { Group } from './navigation.ts';
import { OTHER_PAGES, PARTNER_GUIDES } from './navigation.ts';

/** A page of the site. `markdown` links only to served paths. */
export type SitePage = {
  /** The path, for example `/docs/quickstart`. */
  url: string;
  title: string;
  /** The first paragraph as plain text. */
  description: string;
  /** The name in the navigation. */
  label: string;
  /** The group in the navigation; undefined for the page of an error. */
  group: Group | undefined;
  markdown: string;
};

type Source = { url: string; file: string; group: Group; label?: string };

/** The pages in the order of the navigation. `files`: each other file that a page links to → its path on the site. */
export function readSite(root: string): { pages: SitePage[]; files: ReadonlyMap<string, string> } {
  const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
  const sources = sourcesIn(root);
  const links = createLinks(root, new Map(sources.map(({ url, file }) => [file, url])));
  const sourcePages = sources.map(({ url, file, group, label }) => {
    const markdown = links.rewrite(file, file === 'CHANGELOG.md' ? partnersChanges(read(file)) : read(file));
    return pageOf({ url, group, markdown, ...(label === undefined ? {} : { label }) });
  });
  const description: unknown = JSON.parse(read('docs/openapi.partner.json'));
  const [errors, ...codes] = errorPages(description).map(pageOf);
  const pages = sourcePages.flatMap((page) =>
    page.url === '/docs/webhook-events' && errors !== undefined ? [page, errors] : [page],
  );
  return { pages: [...pages, ...codes], files: links.files() };
}

function sourcesIn(root: string): Source[] {
  const guides = PARTNER_GUIDES.map((name) => ({ name, file: `docs/guides/${name}.md` }))
    .filter(({ file }) => existsSync(path.join(root, file)))
    .map(({ name, file }): Source => {
      return { url: `/docs/${name}`, file, group: name === 'quickstart' ? 'Start' : 'Guides' };
    });
  const others = Object.entries(OTHER_PAGES).map(([url, page]): Source => ({ url, ...page }));
  const examples = exampleReadmes(root).map((file): Source => {
    return { url: `/docs/${path.dirname(file)}`, file, group: 'Examples' };
  });
  return [...others.slice(0, 1), ...guides, ...others.slice(1), ...examples];
}

/** The README files of the examples, such as `examples/verify-webhook/README.md`. */
function exampleReadmes(root: string): string[] {
  return readdirSync(path.join(root, 'examples'))
    .toSorted()
    .map((name) => `examples/${name}/README.md`)
    .filter((file) => existsSync(path.join(root, file)));
}

type Draft = { url: string; markdown: string; group: Group | undefined; label?: string };

function pageOf({ url, group, markdown, label }: Draft): SitePage {
  const title = plain(/^# (.+)$/m.exec(markdown)?.[1] ?? '');
  if (title === '') throw new Error(`The page ${url} has no title. Begin its file with "# …".`);
  return { url, title, label: label ?? title, description: firstParagraph(markdown), group, markdown };
}

/** The first paragraph that is a sentence, as plain text. A long paragraph is cut after a sentence. */
function firstParagraph(markdown: string): string {
  const paragraphs = markdown.split('\n\n').map(plain);
  const text = paragraphs.find((part) => /^[\p{L}]/u.test(part) && part.endsWith('.')) ?? '';
  return text.length <= 200 ? text : (/^.{40,200}?\.(?= )/.exec(text)?.[0] ?? text);
}

/** Removes the markup from a paragraph of Markdown. */
export const plain = (markdown: string): string =>
  markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The changelog with only the section "For partners" of each release. */
function partnersChanges(changelog: string): string {
  const releases = changelog.split(/^(?=## )/m).slice(1);
  const parts = releases.flatMap((release) => {
    const [heading = ''] = release.split('\n', 1);
    const [, section] = /^### For partners\n([^]*?)(?=^### |(?![^]))/m.exec(release) ?? [];
    return section === undefined ? [] : [`${heading.replaceAll(/[[\]]/g, '')}\n\n${section.trim()}\n`];
  });
  return `# Changelog\n\nChanges for partners, the newest release first.\n\n${parts.join('\n')}`;
}
