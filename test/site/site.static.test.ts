import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { OPERATOR_GUIDES, PARTNER_GUIDES } from '../../site/navigation.ts';
import { ERROR_CODES, ERRORS } from '../../src/domain/error-registry.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { projectFolder } from '../architecture/planted-tree.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';

const folder = path.join(await temporaryFolder(), 'site');
const read = (name: string): Promise<string> => readFile(path.join(folder, name), 'utf8');
const names = (): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' });

function build(...args: string[]): void {
  const script = path.join(projectFolder, 'scripts/build-site.ts');
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, ...args], {
    cwd: projectFolder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
}

build(folder);

const isOperators = (code: ErrorCode): boolean => ERRORS[code].audience === 'operator';

describe('the site', () => {
  test('has a page for every error code of partners with the registry’s text, and none for operators', async () => {
    const pages = names().flatMap((name) => /^docs\/errors\/(\w+)\.html$/.exec(name)?.[1] ?? []);
    expect(pages.toSorted()).toEqual(ERROR_CODES.filter((code) => !isOperators(code)).toSorted());
    for (const code of pages as ErrorCode[]) {
      const text = await read(`docs/errors/${code}.md`);
      const { status, when, remedy } = ERRORS[code];
      for (const part of [`# ${code}\n`, `**Status ${status}.**`, when, remedy]) expect(text).toContain(part);
    }
    const all = `${await read('docs/errors.html')}${await read('llms-full.txt')}`;
    for (const code of ERROR_CODES) expect([code, all.includes(code)]).toEqual([code, !isOperators(code)]);
  });

  test('has each partner guide of docs/guides in the navigation, and none for operators', async () => {
    const guides = readdirSync(path.join(projectFolder, 'docs/guides')).map((name) => name.replace('.md', ''));
    const known: readonly string[] = [...PARTNER_GUIDES, ...OPERATOR_GUIDES];
    expect(guides.filter((guide) => !known.includes(guide))).toEqual([]);
    const navigation = /<nav [^]*<\/nav>/.exec(await read('docs.html'))?.[0] ?? '';
    for (const guide of guides) {
      const isPartners = (PARTNER_GUIDES as readonly string[]).includes(guide);
      expect([guide, navigation.includes(`href="/docs/${guide}"`)]).toEqual([guide, isPartners]);
    }
  });

  test('has each page in Markdown too, with links to Markdown, and lists all of them in llms.txt', async () => {
    const pages = names().filter((name) => name.endsWith('.html') && !name.endsWith('404.html'));
    const index = await read('llms.txt');
    expect(index).toMatch(/^# Partner Booking Service\n\n> /);
    for (const page of pages) {
      const twin = page.replace('.html', '.md');
      expect(names()).toContain(twin);
      expect(index).toContain(`](/${twin})`);
      expect(await read(twin)).not.toMatch(/\]\((?!\/|#|https:\/\/)/);
    }
    expect(await read('docs.md')).toContain('](/docs/quickstart.md)');
  });

  test('does not reveal the repository: no link to a file that is not served, no inline script in a page', async () => {
    for (const name of names().filter((each) => each.endsWith('.html'))) {
      const page = await read(name);
      expect(page).not.toMatch(/<script(?! type="module" src="\/)|<style|style=|\son\w+=/);
      expect(page).not.toMatch(/(?:href|src)="(?!\/|#|https:\/\/)/);
    }
    for (const name of names().filter((each) => /^docs.*\.md$|^llms/.test(each))) {
      const pointers = (await read(name)).match(
        /(?<![\w/])(?:docs|packages\/client|scripts)\/[\w/.-]+|repository|npm run docs/g,
      );
      expect([name, pointers]).toEqual([name, null]);
    }
  });

  test('shows the part of the changelog for partners', async () => {
    const page = await read('docs/changelog.md');
    expect(page).toContain('order_reference');
    expect(page).not.toContain('npm run');
  });
});

describe('the site of processes running from source', () => {
  const marker = path.join(projectFolder, '.site/built');
  const builtAt = async (): Promise<number> => (await stat(marker)).mtimeMs;

  test('is built if and only if it is older than its sources', async () => {
    build();
    const first = await builtAt();
    build();
    expect(await builtAt()).toBe(first);
    await utimes(marker, new Date(0), new Date(0));
    build();
    expect(await builtAt()).toBeGreaterThan(first);
  });
});
