/**
 * `npm run test:upgrade [-- --from REF]`: builds another release, by default the last one, in `.cache/releases`, runs a whole system of
 * it under load, and replaces it process by process by this one and back again, as docs/upgrading.md says. Fails where anything is
 * lost, happens twice, or is answered with an error other than a refused connection or a 503 with Retry-After. Some five minutes, and
 * an `npm ci` of the release the first time.
 *
 * The last release is the newest tag `v*`; where there is none, the commit that added the newest description to docs/releases.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

const root = path.resolve(import.meta.dirname, '..');
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

function lastRelease(): string {
  const [tag = ''] = git('tag', '--list', 'v*', '--sort=-version:refname').split('\n');
  if (tag !== '') return tag;
  if (git('rev-parse', '--is-shallow-repository') === 'true')
    fail(
      'This clone is shallow and has no tag of a release. Run `git fetch --unshallow --tags`, or name one: --from REF.',
    );
  const added = ['log', '-1', '--diff-filter=A', '--format=%H', '--', 'docs/releases/openapi.partner.*.json'];
  const commit = git(...added);
  if (commit === '') fail('No release was found: no tag v*, nothing in docs/releases. Name one: --from REF.');
  return commit;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function run(cwd: string, command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) fail(`\`${command} ${args.join(' ')}\` failed in ${cwd}.`);
}

/** The folder of a release, built; made the first time. */
function builtRelease(commit: string): string {
  const folder = path.join(root, '.cache/releases', commit);
  if (existsSync(path.join(folder, 'built'))) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const archive = path.join(folder, 'release.tar');
  run(root, 'git', ['archive', '--output', archive, commit]);
  run(folder, 'tar', ['-xf', archive]);
  run(folder, 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  run(folder, 'npm', ['run', 'build']);
  mkdirSync(path.join(folder, 'built'));
  return folder;
}

const { values, positionals } = parseArgs({ options: { from: { type: 'string' } }, allowPositionals: true });
const ref = values.from ?? lastRelease();
const commit = git('rev-parse', '--verify', `${ref}^{commit}`);
console.log(`From ${ref} (${git('log', '-1', '--format=%h of %cs', commit)}) to this working tree and back`);
const { status } = spawnSync(
  process.execPath,
  ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--runInBand', ...positionals],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TEST_TIER: 'upgrade', UPGRADE_FROM: builtRelease(commit) },
  },
);
process.exitCode = status ?? 1;
