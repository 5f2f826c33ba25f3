import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { newestRelease } from '../../scripts/releases.ts';
import { RELEASE } from '../../src/database/release.ts';
import { projectFolder } from '../architecture/planted-tree.ts';

const folder = path.join(projectFolder, 'docs/releases');
const commits = JSON.parse(readFileSync(path.join(folder, 'commits.json'), 'utf8')) as Record<string, string>;

const git = (...args: string[]): string =>
  execFileSync('git', args, {
    cwd: projectFolder,
    encoding: 'utf8',
    stdio: 'pipe',
    maxBuffer: 16 * 1024 * 1024,
  });

/** Whether this is a clone with its history; a shallow one, or an archive, has no commit to look at. */
function hasHistory(): boolean {
  try {
    return git('rev-parse', '--is-shallow-repository').trim() === 'false';
  } catch {
    return false;
  }
}

describe('docs/releases', () => {
  test('has the description and the commit of each release; of this one the commit is named by a later one', () => {
    const described = readdirSync(folder).flatMap(
      (name) => /^openapi\.partner\.(\d+\.\d+\.\d+)\.json$/.exec(name)?.[1] ?? [],
    );
    const named = [...new Set([...Object.keys(commits), RELEASE])];
    expect([...new Set([...described, RELEASE])].toSorted()).toEqual(named.toSorted());
    for (const commit of Object.values(commits)) expect(commit).toMatch(/^[0-9a-f]{40}$/);
  });

  test('names commits of these numbers, with the descriptions that are kept of them', () => {
    for (const [release, commit] of hasHistory() ? Object.entries(commits) : []) {
      const { version } = JSON.parse(git('show', `${commit}:package.json`)) as { version: string };
      const description = git('show', `${commit}:docs/openapi.partner.json`);
      const kept = readFileSync(path.join(folder, `openapi.partner.${release}.json`), 'utf8');
      expect([version, description === kept]).toEqual([release, true]);
    }
  });
});

test('the newest release is that of the highest number, whatever the order', () => {
  expect(newestRelease({ '1.9.0': 'a', '1.10.0': 'b', '1.2.0': 'c' })).toEqual({
    release: '1.10.0',
    commit: 'b',
  });
  expect(newestRelease({})).toBeUndefined();
});
