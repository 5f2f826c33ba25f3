import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { projectFolder } from './planted-tree.ts';

const read = (file: string): string => readFileSync(path.join(projectFolder, file), 'utf8');

type Locked = {
  resolved?: string;
  integrity?: string;
  dev?: boolean;
  link?: boolean;
  optional?: boolean;
  os?: string[];
};
type Lock = { lockfileVersion: number; packages: Record<string, Locked> };

const lock = JSON.parse(read('package-lock.json')) as Lock;
/** Third-party packages, without this project's own packages and links. */
const locked = Object.entries(lock.packages).filter(
  ([place, { link }]) => place.includes('node_modules/') && link !== true,
);
/** Packages that a process of the service can load. The image leaves optional packages out. */
const inProduction = locked.filter(([, { dev, optional }]) => dev !== true && optional !== true);

test('install scripts are off in this folder', () => {
  expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
});

describe('the lockfile', () => {
  test('has a hash of every package, including all production ones', () => {
    expect(lock.lockfileVersion).toBe(3);
    expect(locked.length).toBeGreaterThan(300);
    const unhashed = locked.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''));
    // Optional builds for other platforms cannot be hashed here.
    expect(unhashed.filter(([, { optional, os }]) => optional !== true || os === undefined)).toEqual([]);
    expect(inProduction.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
    expect(inProduction.length).toBeGreaterThan(100);
  });

  test('contains no address of a registry or of any other host: each user’s configuration names the registry', () => {
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    // These texts of a package may contain addresses.
    const textFields = new Set(['funding', 'deprecated']);
    const text = JSON.stringify(lock, (name, value: unknown) => (textFields.has(name) ? undefined : value));
    expect(text).not.toMatch(/\b(?:https?|git|ssh|file):/);
  });
});

/** Licences of packages that the product may contain: they only require naming the authors. */
const ALLOWED = new Set('MIT ISC Apache-2.0 BSD-2-Clause BSD-3-Clause 0BSD BlueOak-1.0.0'.split(' '));

/** Whether a licence, or one of its alternatives, is allowed. Rejects older formats of the field. */
function isAllowed(license: unknown): boolean {
  if (typeof license !== 'string') return false;
  return license
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((each) => ALLOWED.has(each)));
}

describe('licences', () => {
  test('of every production package are allowed', () => {
    for (const [place] of inProduction) {
      const { license } = JSON.parse(read(`${place}/package.json`)) as { license?: unknown };
      expect([place, license, isAllowed(license)]).toEqual([place, license, true]);
    }
  });

  test.each(['GPL-3.0', 'MIT AND AGPL-3.0', 'UNLICENSED', undefined, { type: 'MIT' }])(
    'control: %p is not allowed',
    (license) => expect(isAllowed(license)).toBe(false),
  );
});

type Audit = { vulnerabilities?: Record<string, { severity: string }>; message?: string };

/** The report of `npm audit`. Without an answer of the registry it has a message and no vulnerabilities. */
function audit(): Audit {
  const args = ['audit', '--json', '--audit-level=high', '--omit=dev', '--fetch-retries=0'];
  const { stdout, stderr } = spawnSync('npm', args, { cwd: projectFolder, timeout: 60_000, encoding: 'utf8' });
  try {
    return JSON.parse(stdout) as Audit;
  } catch {
    return { message: stderr.slice(-300) };
  }
}

test('npm audit has no high vulnerability in production, if the registry has advisories', () => {
  const { vulnerabilities, message } = audit();
  if (vulnerabilities === undefined)
    process.stderr.write(`\nNOT CHECKED: npm audit got no advisories, so vulnerabilities are unknown. ${message}\n\n`);
  const severe = Object.entries(vulnerabilities ?? {}).filter(([, { severity }]) =>
    /^(?:high|critical)$/.test(severity),
  );
  expect(severe).toEqual([]);
});
