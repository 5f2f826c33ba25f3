import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { describeWith } from './programs.ts';
import { bodyOf, examplesFolder, readVectors } from './verification-vectors.ts';

const vectors = await readVectors();

/** Prevents downloads. */
const OFFLINE = { GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local', GOPROXY: 'off', GOWORK: 'off', CGO_ENABLED: '0' };
const runners = [
  { language: 'Python', program: 'python3', versionFlag: '--version', args: ['-B', 'test_vectors.py'] },
  { language: 'Go', program: 'go', versionFlag: 'version', args: ['test', '-count=1', '-vet=off', '-v', './...'] },
];

/** With an empty cache, Go compiles its standard library first. */
const FIRST_BUILD_TIMEOUT_MS = 240_000;

for (const { language, program, versionFlag, args } of runners) {
  await describeWith({ [program]: versionFlag }, `the function in ${language}`, () => {
    test(
      'gives each vector its verdict, and leaves no files in the project',
      async () => {
        const before = await readdir(examplesFolder, { recursive: true });
        const cwd = path.join(examplesFolder, language.toLowerCase());
        const env = { ...process.env, ...OFFLINE };
        const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
        expect(stdout + stderr).toContain(`${vectors.length} vectors read`);
        expect(status).toBe(0);
        expect(await readdir(examplesFolder, { recursive: true })).toEqual(before);
      },
      FIRST_BUILD_TIMEOUT_MS,
    );
  });
}

test('the vectors show each UTF-8 body as its exact text', () => {
  for (const vector of vectors) {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    if (vector.body_text === null) expect(() => text.decode(bodyOf(vector))).toThrow('not valid');
    else expect(text.decode(bodyOf(vector))).toBe(vector.body_text);
  }
});
