import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { reasonToSkip } from './programs.ts';
import { bodyOf, examplesFolder, readVectors } from './verification-vectors.ts';

const run = promisify(execFile);
const vectors = await readVectors();

type Runner = { language: string; program: string; versionFlag: string; args: string[]; folder: string };
const goTest = ['test', '-count=1', '-vet=off', '-v', './...'];
const runners: Runner[] = [
  {
    language: 'Python',
    program: 'python3',
    versionFlag: '--version',
    args: ['-B', 'test_vectors.py'],
    folder: 'python',
  },
  { language: 'Go', program: 'go', versionFlag: 'version', args: goTest, folder: 'go' },
];

/** Prevents downloads. Uses Go's own cache outside this project, if there is one. */
async function environment(): Promise<NodeJS.ProcessEnv> {
  const { GOCACHE, HOME } = process.env;
  const offline = { GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local', GOPROXY: 'off', GOWORK: 'off' };
  const go = { ...offline, CGO_ENABLED: '0' };
  const cache = GOCACHE ?? (HOME === undefined ? await temporaryFolder() : undefined);
  return { ...process.env, ...go, ...(cache === undefined ? {} : { GOCACHE: cache }) };
}

/** With an empty cache, Go compiles its standard library first. */
const FIRST_BUILD_TIMEOUT_MS = 240_000;

type Outcome = { exitCode: number; output: string };

async function runExample({ program, args, folder }: Runner): Promise<Outcome> {
  try {
    const options = { cwd: path.join(examplesFolder, folder), env: await environment() };
    const { stdout, stderr } = await run(program, args, options);
    return { exitCode: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { exitCode: code, output: stdout + stderr };
  }
}

for (const runner of runners) {
  const { language, program, versionFlag } = runner;
  const why = await reasonToSkip({ [program]: versionFlag });
  (why === '' ? describe : describe.skip)(`the function in ${language}${why}`, () => {
    test(
      'gives each vector its verdict, and leaves no files in the project',
      async () => {
        const before = await readdir(examplesFolder, { recursive: true });
        const { exitCode, output } = await runExample(runner);
        expect(output).toContain(`${vectors.length} vectors read`);
        expect(exitCode).toBe(0);
        expect(await readdir(examplesFolder, { recursive: true })).toEqual(before);
      },
      FIRST_BUILD_TIMEOUT_MS,
    );
  });
}

describe('the vectors', () => {
  test('show each UTF-8 body as its exact text', () => {
    for (const vector of vectors) {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      if (vector.body_text === null) expect(() => text.decode(bodyOf(vector))).toThrow('not valid');
      else expect(text.decode(bodyOf(vector))).toBe(vector.body_text);
    }
  });

  test('have unique names, and cover every reason', () => {
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
    const reasons = ['malformed_signature', 'malformed_timestamp', 'missing_secret', 'outside_replay_window'];
    const all = new Set([null, ...reasons, 'signature_mismatch']);
    expect(new Set(vectors.map(({ reason }) => reason))).toEqual(all);
  });
});
