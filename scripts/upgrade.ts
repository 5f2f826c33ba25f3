/**
 * `node --import tsx scripts/upgrade.ts [--from REF] [--write] [jest arguments]`: tests an upgrade under load. Builds
 * another release (default: the last one) in `.cache/releases`, runs a whole system of that release, and replaces each
 * process by one of this version, and then back, as in docs/upgrading.md. Fails if anything is lost or happens twice,
 * or if a call gets an error response; refused connections are allowed. Takes about five minutes, and longer the first
 * time (`npm ci`).
 *
 * The last release is the newest tag `v*`, or without tags the newest of docs/releases/commits.json. `--write` updates
 * docs/upgrading.md. Jest arguments select a part.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { compareReleases } from '../src/operations/database/release.ts';
import type { TradingFigures } from '../test/faults/trading.ts';
import { runExperiments } from './experiments.ts';
import { withFigures } from './figures-in-page.ts';

const root = path.resolve(import.meta.dirname, '..');
const UPGRADING = path.join(root, 'docs/upgrading.md');
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** The last release's name and git reference. */
function lastRelease(): { name: string; ref: string } {
  const [tag = ''] = git('tag', '--list', 'v*', '--sort=-version:refname').split('\n');
  if (tag !== '') return { name: tag, ref: tag };
  const file = readFileSync(path.join(root, 'docs/releases/commits.json'), 'utf8');
  const commits = Object.entries(JSON.parse(file) as Record<string, string>);
  const [newest] = commits.toSorted(([a], [b]) => compareReleases(b, a));
  if (newest === undefined)
    fail('No release was found: no tag v*, nothing in docs/releases/commits.json. Name one: --from REF.');
  return { name: newest[0], ref: newest[1] };
}

function commitOf(ref: string): string {
  try {
    return git('rev-parse', '--quiet', '--verify', `${ref}^{commit}`);
  } catch {
    return fail(
      `${ref} is not a commit of this clone. If the clone is shallow, run \`git fetch --unshallow --tags\`, or name a release: --from REF.`,
    );
  }
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function run(cwd: string, command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) fail(`\`${command} ${args.join(' ')}\` failed in ${cwd}.`);
}

/** The folder of the built release. The first call builds it. */
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

/** `first`: the kind of process that was replaced first. `replaced`: number of replaced processes. */
type UpgradeFinding = TradingFigures & { first: string; replaced: number };

function asMarkdown(findings: readonly UpgradeFinding[], facts: string): string {
  const rows = findings.map((each) =>
    [
      ...[each.first, each.replaced, each.answered, each.refused, each.reset, each.unavailable],
      ...[`${each.repeats} of ${each.received}`, each.faults.length],
    ].join(' | '),
  );
  return [
    ...['', facts, ''],
    '| Replaced first | Processes replaced | Calls acknowledged | Connections refused | Connections broken | Responses 503 | Deliveries repeated | Lost or done twice |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
    ...['', ''],
  ].join('\n');
}

const { values, positionals } = parseArgs({
  options: { from: { type: 'string' }, write: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const from = values.from === undefined ? lastRelease() : { name: values.from, ref: values.from };
const commit = commitOf(from.ref);
const release = `${from.name} (${git('log', '-1', '--format=%h of %cs', commit)})`;
const thisVersion = git('describe', '--always', '--dirty', '--abbrev=8');
console.log(`From ${release} to ${thisVersion} and back`);
const UPGRADE_FROM = builtRelease(commit);
const { code, findings, minutes, machine } = await runExperiments<UpgradeFinding>(
  'upgrade',
  ['--runInBand', ...positionals],
  { UPGRADE_FROM },
);
const figures = asMarkdown(findings, `From ${release} to ${thisVersion} and back: ${machine}; ${minutes} min.`);
console.log(figures);
if (values.write && code === 0 && positionals.length === 0)
  writeFileSync(UPGRADING, withFigures(readFileSync(UPGRADING, 'utf8'), 'upgrade', figures));
process.exitCode = code;
