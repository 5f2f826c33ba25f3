import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import { mountDocumentation } from '../../src/http/documentation.ts';
import { listen } from '../../src/http/listen.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { createClient } from '../support/client.ts';
import { sharedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const service = sharedService();
const stranger = createClient(service.url, undefined);
afterAll(() => service.stop());

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('/ redirects a browser to the documentation', async () => {
  const browser = await fetch(service.url, { headers: BROWSER, redirect: 'manual' });
  expect([browser.status, browser.headers.get('location')]).toEqual([302, '/docs']);
  expect((await stranger.get('/')).headers.get('vary')).toContain('Accept');
});

describe('a page', () => {
  test('is HTML at its path, and Markdown with .md or with Accept: text/markdown', async () => {
    const types = [
      await stranger.get('/docs'),
      await stranger.get('/docs/'),
      await stranger.get('/docs.md'),
      await stranger.get('/docs/quickstart', BROWSER),
      await stranger.get('/docs/quickstart.md'),
      await stranger.get('/docs/quickstart', { accept: 'text/markdown' }),
      await stranger.get('/llms.txt'),
      await stranger.get('/docs/examples/verify-webhook/go/verify.go'),
    ].map(({ status, headers }) => `${status} ${headers.get('content-type')}`);
    const [html, markdown, plain] = ['html', 'markdown', 'plain'].map((type) => `200 text/${type}; charset=utf-8`);
    expect(types).toEqual([html, html, markdown, html, markdown, markdown, plain, plain]);
  });

  test('is revalidated by browsers, and its assets are cached for a year under names with a hash', async () => {
    const page = await stranger.get('/docs/quickstart');
    const assets = [...page.text.matchAll(/"(\/docs\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(assets.length).toBeGreaterThanOrEqual(5);
    for (const path of ['/docs/quickstart', '/docs/quickstart.md', '/llms.txt', ...assets]) {
      const { headers, status } = await stranger.get(path);
      const isAsset = path.startsWith('/docs/assets/');
      const caching = isAsset ? 'public, max-age=31536000, immutable' : 'no-cache';
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, caching]);
      const tag = headers.get('etag') ?? '';
      expect((await stranger.get(path, { 'if-none-match': tag })).status).toBe(304);
      expect((await stranger.get(path, { 'if-none-match': '"other"' })).status).toBe(200);
      if (isAsset) expect(path).toMatch(/\.[0-9a-f]{12}\.\w+$/);
    }
  });

  test('is sent in gzip to clients that accept it', async () => {
    const fetchEncoded = (coding: string) =>
      fetch(`${service.url}/docs/quickstart`, { headers: { 'accept-encoding': coding } });
    const [plain, packed] = [await fetchEncoded('identity'), await fetchEncoded('gzip')];
    const headersNamed = (name: string) => [plain, packed].map(({ headers }) => headers.get(name));
    expect(headersNamed('content-encoding')).toEqual([null, 'gzip']);
    // `fetch` unpacks a response that is marked as gzip.
    expect(await packed.text()).toBe(await plain.text());
    expect(new Set(headersNamed('vary'))).toEqual(new Set([expect.stringContaining('Accept-Encoding')]));
    expect(new Set(headersNamed('etag')).size).toBe(2);
  });

  test('if missing, is a page for a browser and a documented error for a program', async () => {
    const browser = await stranger.get('/docs/no-such-page', BROWSER);
    expect([browser.status, browser.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(browser.text).toContain('href="/docs/quickstart"');
    expect(browser.text).not.toContain('404.md');
    expect(browser.headers.get('vary')).toContain('Accept');
    expect((await stranger.get('/docs/404', BROWSER)).status).toBe(404);
    for (const path of [
      '/docs/no-such-page',
      '/docs/404',
      '/docs/errors/NO_SUCH',
      '/docs/built',
      '/docs/%2e%2e/package.json',
      '/docs/..%2f..%2fpackage.json',
      '/docs/assets/..%5c..%5c..%5cpackage.json',
      '/docs/quickstart.html.gz',
    ]) {
      const reply = await stranger.get(path);
      expect(verdict(reply)).toBe('404 ROUTE_NOT_FOUND');
      expect(errorOf(reply).docs).toBe('/docs/errors/ROUTE_NOT_FOUND');
      expect(verdict(await stranger.post(path, {}))).toBe('404 ROUTE_NOT_FOUND');
    }
    expect((await stranger.get('/docs/no-such-page')).headers.get('vary')).toContain('Accept');
  });
});

test('a folder with a dot in its name, and a file that vanished after the start, are 404', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'docs/v1.2'), { recursive: true });
  for (const name of ['404.html', 'gone.html', 'v1.2/there.html']) await writeFile(join(folder, 'docs', name), name);
  const app = express();
  mountDocumentation(app, createLogger('api', 'fatal'), folder);
  await rm(join(folder, 'docs/gone.html'));
  const { url, close } = await listen(app, '127.0.0.1', 0);
  const replies = ['/docs/v1.2', '/docs/gone', '/docs/v1.2/there'].map((path) =>
    fetch(url + path, { headers: BROWSER }),
  );
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([404, 404, 200]);
  await close();
});

test('a service whose documentation was not built says so in its log', async () => {
  const lines: string[] = [];
  const log = createLogger('api', 'info', { write: (line: string) => void lines.push(line) });
  mountDocumentation(express(), log);
  expect(lines).toEqual([]);
  mountDocumentation(express(), log, await temporaryFolder());
  expect(lines).toEqual([expect.stringContaining('npm run build')]);
});
