import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createClient } from '../support/client.ts';
import { sharedService } from '../support/service-host.ts';

const service = sharedService();
const stranger = createClient(service.url, undefined);
afterAll(() => service.stop());

type Page = { path: string; links: string[]; ids: Set<string> };

/** Every page that a reader can reach, by path. */
const pages = new Map<string, Page>();
/** Anchors of the reference, such as `#/Holds/placeHold`. */
const operations = new Set<string>();

const attribute = (html: string, name: string): string[] =>
  [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value);

async function read(path: string): Promise<Page | undefined> {
  const { status, text, headers } = await stranger.get(path, { accept: 'text/html' });
  if (status !== 200) return undefined;
  if (path.endsWith('.md')) {
    const links = [...text.matchAll(/\]\((\/[^)\s]*)/g)].map(([, link = '']) => link);
    return { path, links, ids: new Set() };
  }
  const isPage = headers.get('content-type')?.startsWith('text/html') === true;
  const links = isPage ? attribute(text, 'href') : [];
  return { path, links, ids: new Set(isPage ? attribute(text, 'id') : []) };
}

beforeAll(async () => {
  const queue = ['/docs'];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (pages.has(path)) continue;
    const page = await read(path);
    if (page === undefined) continue;
    pages.set(path, page);
    const isDocumentation = page.path.startsWith('/docs') && page.path !== '/docs/reference';
    const linked = page.links.filter((link) => link.startsWith('/')).map((link) => link.split('#')[0] ?? '');
    if (isDocumentation) queue.push(...linked);
  }
  const { body } = await stranger.get('/openapi.json');
  const { paths } = body as {
    paths: Record<string, Record<string, { operationId: string; tags: string[] }>>;
  };
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    operations.add(`/${encodeURIComponent(operation.tags[0] ?? '')}/${operation.operationId}`);
  }
});

/** The broken links of a page: nothing is served there, or the page has no such anchor. */
function deadLinks({ path, links }: Page): string[] {
  return links.filter((link) => {
    if (/^(?:https:|data:)/.test(link)) return false;
    const [target = '', anchor] = link.split('#');
    const page = pages.get(target === '' ? path : target);
    if (page === undefined) return true;
    if (anchor === undefined || target.endsWith('.md')) return false;
    return target === '/docs/reference' ? !operations.has(anchor) : !page.ids.has(anchor);
  });
}

test('every page can be reached from the start page', () => {
  const reached = [...pages.keys()];
  for (const path of ['/docs/quickstart', '/docs/errors/HOLD_EXPIRED', '/docs/reference', '/llms.txt']) {
    expect(reached).toContain(path);
  }
  expect(reached.filter((path) => path.startsWith('/docs/errors/') && !path.endsWith('.md'))).toHaveLength(37);
});

test('every link of every page exists, and every anchor of HTML pages', () => {
  expect([...pages.keys()].filter((path) => path.endsWith('.md')).length).toBeGreaterThan(40);
  const own = [...pages.values()].filter(({ path }) => path !== '/docs/reference');
  const dead = own.map((page) => [page.path, deadLinks(page)] as const);
  expect(dead.filter(([, links]) => links.length > 0)).toEqual([]);
});
