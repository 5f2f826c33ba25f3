import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { verifyWebhook } from '../../packages/client/src/webhooks/verify.ts';
import { ERROR_CODES, ERRORS } from '../../src/domain/error-registry.ts';
import { projectFolder } from '../architecture/planted-tree.ts';
import { publishedDescription } from '../support/published-description.ts';
import { blocksOf, brokenLinks, type Document, proseOf, readDocument, readDocuments } from './documents.ts';

const documents = await readDocuments();
const guides = documents.filter(({ file }) => file.startsWith('docs/guides/'));
const byName = documents.map((document) => ({ name: document.file, document }));

const routes = (['partner', 'operator'] as const)
  .flatMap((listener) => Object.keys(publishedDescription(listener).paths))
  .map((route) => route.replaceAll(/\{\w+\}/g, '{}'));

test.each(byName)('links in $name lead to an existing file and heading', ({ document }) => {
  expect(brokenLinks(document)).toEqual([]);
});

/** Codes in a text that no response has, or that the text names with a wrong status. */
function wrongCodes({ text }: Pick<Document, 'text'>): string[] {
  const known = new Map<string, number>(ERROR_CODES.map((each) => [each, ERRORS[each].status]));
  return [...text.matchAll(/(?:\b([1-5]\d\d) )?`([A-Z]+(?:_[A-Z]+)+)`/g)]
    .filter(([, status, code = '']) => {
      return !known.has(code) || (status !== undefined && known.get(code) !== Number(status));
    })
    .map(([match]) => match);
}

test.each(guides.map((guide) => ({ name: guide.file, guide })))(
  'error codes in $name exist, with the given status',
  ({ guide }) => {
    expect(wrongCodes(guide)).toEqual([]);
  },
);

/** API paths in a text that no route has. `{id}` and `$ID` stand for parameters, a final `…` or `/` for any rest. */
function unknownPaths({ text }: Pick<Document, 'text'>): string[] {
  const paths = [...text.matchAll(/(?:\/api\/v1|\$API)(\/[\w{}$/-]*…?)/g)].map(([, rest = '']) => rest);
  return [...new Set(paths.filter((rest) => !isKnown(rest)))];
}

function isKnown(rest: string): boolean {
  const wanted = `/api/v1${rest}`.replaceAll(/\{\w+\}|\$\w+/g, '{}');
  if (/[/…]$/.test(wanted)) return routes.some((route) => route.startsWith(wanted.replace('…', '')));
  return routes.includes(wanted);
}

test.each(byName)('paths in $name are served', ({ document }) => {
  expect(unknownPaths(document)).toEqual([]);
});

test.each(['docs/ARCHITECTURE.md', 'docs/GLOSSARY.md', 'CONTRIBUTING.md'])(
  'every path that %s names exists',
  async (file) => {
    const { text } = await readDocument(file);
    const paths = [...text.matchAll(/`((?:src|workers|test|scripts|deploy|docs|examples)\/[^`*…]*)`/g)];
    const missing = paths.filter(([, name = '']) => !existsSync(path.join(projectFolder, name)));
    expect(missing.map(([, name]) => name)).toEqual([]);
  },
);

describe('code', () => {
  const shown = guides.flatMap((guide) => blocksOf(guide).map((block) => ({ ...block, guide: guide.file })));

  test.each(shown.filter(({ language }) => ['python', 'go'].includes(language)))(
    '$guide shows $language code from the example linked above it',
    async ({ guide, above, text }) => {
      const [, target = ''] = /\]\(([^)]+)\)/.exec(above) ?? [];
      const example = await readFile(path.join(projectFolder, path.dirname(guide), target), 'utf8');
      expect(example).toContain(text);
    },
  );

  test('the shown delivery verifies with the shown secret, and with no other', async () => {
    const guide = await readDocument('docs/guides/receiving-webhooks.md');
    const http = blocksOf(guide).find(({ language }) => language === 'http')?.text ?? '';
    const [head = '', body = ''] = http.split('\n\n');
    const lines = [...head.matchAll(/^([\w-]+): (.*)$/gm)].map(([, name, value]) => [name, value]);
    const headers = Object.fromEntries(lines) as Record<string, string>;
    const [secretKey = ''] = /whsec_[\w+/]{43}=/.exec(proseOf(guide)) ?? [];
    const now = new Date(Number(headers['X-Service-Timestamp']) * 1000);
    const verify = (key: string) => verifyWebhook(body.trimEnd(), headers, key, { now });
    await expect(verify(`${secretKey}x`)).rejects.toThrow('signature_mismatch');
    const { event_type: type, delivery_id: id } = await verify(secretKey);
    expect([type, id]).toEqual([headers['X-Webhook-Event'], headers['X-Delivery-Id']]);
  });
});

test('docs/guides/webhook-platforms.md shows or links each tested receiver', async () => {
  const folder = path.join(projectFolder, 'examples/verify-webhook/platforms');
  const { text } = await readDocument('docs/guides/webhook-platforms.md');
  const files = await readdir(folder);
  expect(files).toHaveLength(12);
  for (const file of files) {
    const isThere = text.includes(await readFile(path.join(folder, file), 'utf8')) || text.includes(`/${file})`);
    expect([file, isThere]).toEqual([file, true]);
  }
});
