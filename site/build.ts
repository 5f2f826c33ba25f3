import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { build as bundle } from 'esbuild';
import { packArchive } from './archives.ts';
import { packClient } from './client-package.ts';
import { renderPage } from './layout.tsx';
import { llmsFull, llmsIndex, markdownTwin } from './llms.ts';
import { createMarkdown } from './markdown.ts';
import type { SitePage } from './pages.ts';
import { readSite } from './pages.ts';
import { searchIndex } from './search-index.ts';

/** A file that is written last: it shows that the site is complete, and when it was built. */
export const MARKER = 'built';

/**
 * Builds the site of the project in `root` and replaces `folder`. Page `/docs/x` is `docs/x.html`; other files are
 * served at their path. Files from 1 kB on also have a compressed copy, `.gz`. Needs no network.
 */
export async function buildSite(root: string, folder: string): Promise<void> {
  const staging = `${folder}.${process.pid}`;
  try {
    await makeSite(root, staging);
    await rm(folder, { recursive: true, force: true });
    await rename(staging, folder);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function makeSite(root: string, staging: string): Promise<void> {
  const { pages, files } = readSite(root);
  const assets = await writeAssets(root, staging, searchIndex(pages));
  await writePages(staging, pages, assets);
  await writeTexts(staging, pages);
  for (const [file, url] of files) await cp(path.join(root, file), path.join(staging, url));
  await packClient(root, staging);
  await packArchive(root, staging);
  await compress(staging);
  await writeFile(path.join(staging, MARKER), '');
}

async function writePages(
  folder: string,
  pages: readonly SitePage[],
  assets: Readonly<Record<string, string>>,
): Promise<void> {
  const markdown = createMarkdown();
  for (const entry of [...pages, MISSING]) {
    const file = path.join(folder, `${entry.url}.html`);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, renderPage({ content: markdown.render(entry.markdown), entry, pages, assets }));
  }
}

/** The page for paths without a page. */
const MISSING: SitePage = {
  url: '/docs/404',
  title: 'Page not found',
  label: 'Page not found',
  description: 'This address has no page.',
  group: undefined,
  markdown:
    '# Page not found\n\nThis address has no page. Search the documentation, or begin with the [overview](/docs), the [quickstart](/docs/quickstart) or [all errors](/docs/errors).\n',
};

async function writeTexts(folder: string, pages: readonly SitePage[]): Promise<void> {
  for (const page of pages) {
    const file = path.join(folder, `${page.url}.md`);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, markdownTwin(page, pages));
  }
  await writeFile(path.join(folder, 'llms.txt'), llmsIndex(pages));
  await writeFile(path.join(folder, 'llms-full.txt'), llmsFull(pages));
}

/** Writes the assets with digests in their names, so that browsers cache them for ever. Returns name → path. */
async function writeAssets(root: string, folder: string, index: string): Promise<Record<string, string>> {
  const source = path.join(root, 'site/assets');
  const minify = { bundle: true, minify: true, write: false, format: 'esm', target: 'es2022' } as const;
  const bundled = await Promise.all(
    ['site.css', 'site.js', 'search.js'].map(async (name) => {
      const { outputFiles } = await bundle({ ...minify, target: [], entryPoints: [path.join(source, name)] });
      return [name, outputFiles[0]?.text ?? ''] as const;
    }),
  );
  const icon = await readFile(path.join(root, 'src/console/assets/icon.svg'), 'utf8');
  await mkdir(path.join(folder, 'docs/assets'), { recursive: true });
  const written = [...bundled, ['icon.svg', icon] as const, ['search-index.json', index] as const].map(
    async ([name, text]) => {
      const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
      const { name: stem, ext } = path.parse(name);
      const url = `/docs/assets/${stem}.${digest}${ext}`;
      await writeFile(path.join(folder, url), text);
      return [name, url] as const;
    },
  );
  return Object.fromEntries(await Promise.all(written));
}

/** Compression of smaller files saves less than a network packet. */
const MIN_COMPRESSED_BYTES = 1024;

async function compress(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tgz'))
    .map(({ parentPath, name }) => path.join(parentPath, name));
  for (const file of files) {
    const bytes = await readFile(file);
    if (bytes.length >= MIN_COMPRESSED_BYTES) await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
  }
}
