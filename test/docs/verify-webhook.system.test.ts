import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { transform } from '@swc/core';
import * as example from '../../examples/verify-webhook/typescript/verify-webhook.ts';
import { signDelivery } from '../../src/sender/signature.rules.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { reasonToSkip } from './programs.ts';
import type { Vector } from './verification-vectors.ts';
import { bodyOf, examplesFolder, readVectors, spoilings, vectorsFile } from './verification-vectors.ts';

const run = promisify(execFile);
const vectors = await readVectors();

type Runner = { language: string; program: string; versionFlag: string; args: string[]; folder: string };
const runners: Runner[] = [
  {
    ...{ language: 'Python', program: 'python3', versionFlag: '--version' },
    ...{ args: ['-B', 'test_vectors.py'], folder: 'python' },
  },
  {
    ...{ language: 'Go', program: 'go', versionFlag: 'version' },
    ...{ args: ['test', '-count=1', '-vet=off', '-v', './...'], folder: 'go' },
  },
];

/** Nothing is fetched; Go's own cache, outside of this project, is used where there is one. */
async function environment(file: string): Promise<NodeJS.ProcessEnv> {
  const { GOCACHE, HOME } = process.env;
  const go = {
    GOFLAGS: '-mod=readonly',
    GOTOOLCHAIN: 'local',
    GOPROXY: 'off',
    GOWORK: 'off',
    CGO_ENABLED: '0',
  };
  const cache = GOCACHE ?? (HOME === undefined ? await temporaryFolder() : undefined);
  return { ...process.env, ...go, ...(cache === undefined ? {} : { GOCACHE: cache }), VECTORS: file };
}

/** With an empty cache, Go compiles its standard library first. */
const FIRST_BUILD_TIMEOUT_MS = 240_000;

type Outcome = { exitCode: number; output: string };

async function runExample({ program, args, folder }: Runner, file: string): Promise<Outcome> {
  try {
    const options = { cwd: path.join(examplesFolder, folder), env: await environment(file) };
    const { stdout, stderr } = await run(program, args, options);
    return { exitCode: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { exitCode: code, output: stdout + stderr };
  }
}

type Example = typeof example;

/** What the TypeScript function says, in the words of the vectors. */
function verdictOn(vector: Vector, { verifyWebhook, WebhookRefused }: Example): [string, string | null] {
  const delivery = {
    body: bodyOf(vector),
    timestamp: vector.headers['X-Service-Timestamp'],
    signature: vector.headers['X-Service-Signature'],
    previousSignature: vector.headers['X-Service-Signature-Previous'],
  };
  try {
    verifyWebhook(delivery, vector.secret_key, vector.now);
    return ['accept', null];
  } catch (error) {
    if (!(error instanceof WebhookRefused)) throw error;
    return ['reject', error.message];
  }
}

function agrees(vector: Vector, module: Example): boolean {
  const [expected, reason] = verdictOn(vector, module);
  return expected === vector.expected && reason === vector.reason;
}

describe('the function in TypeScript gives each vector its verdict', () => {
  test.each(vectors)('$name: $expected', (vector) => {
    expect(verdictOn(vector, example)).toEqual([vector.expected, vector.reason]);
  });

  test('it goes by the clock where no time is given', () => {
    const secretKey = 'whsec_any';
    const sentAt = (ageSeconds: number) => {
      const timestampSeconds = Math.floor(Date.now() / 1000) - ageSeconds;
      const body = Buffer.from('{}');
      return {
        ...{ body, timestamp: String(timestampSeconds) },
        signature: signDelivery({ secretKey, timestampSeconds, body }),
      };
    };
    expect(() => example.verifyWebhook(sentAt(0), secretKey)).not.toThrow();
    expect(() => example.verifyWebhook(sentAt(310), secretKey)).toThrow('outside_replay_window');
  });

  test.each(spoilings.slice(0, 4))('control: it is noticed when %s', async (_what, spoil) => {
    const spoilt = await readVectors();
    spoil(spoilt);
    expect(spoilt.filter((vector) => !agrees(vector, example))).toHaveLength(1);
  });
});

for (const runner of runners) {
  const { language, program, versionFlag } = runner;
  const why = await reasonToSkip({ [program]: versionFlag });
  (why === '' ? describe : describe.skip)(`the function in ${language}${why}`, () => {
    test(
      'gives each vector its verdict, and leaves nothing in the project',
      async () => {
        const before = await readdir(examplesFolder, { recursive: true });
        const { exitCode, output } = await runExample(runner, vectorsFile);
        expect(output).toContain(`${vectors.length} vectors read`);
        expect(exitCode).toBe(0);
        expect(await readdir(examplesFolder, { recursive: true })).toEqual(before);
      },
      FIRST_BUILD_TIMEOUT_MS,
    );

    test.each(spoilings)('control: its runner fails when %s', async (_what, spoil) => {
      const spoilt = await readVectors();
      spoil(spoilt);
      const file = path.join(await temporaryFolder(), 'vectors.json');
      await writeFile(file, JSON.stringify({ vectors: spoilt }));
      expect((await runExample(runner, file)).exitCode).not.toBe(0);
    });
  });
}

const carried = ({ headers }: Vector) => [
  headers['X-Service-Signature'],
  headers['X-Service-Signature-Previous'],
];
const isSigned = ({ reason }: Vector): boolean => reason === null || reason === 'outside_replay_window';
const signed = vectors.filter((vector) => isSigned(vector));

/** Made as the README beside the vectors says. */
async function opensslSignature(vector: Vector): Promise<string> {
  const openssl = run('openssl', ['dgst', '-sha256', '-hmac', vector.secret_key]);
  openssl.child.stdin?.end(
    Buffer.concat([Buffer.from(`${vector.headers['X-Service-Timestamp']}.`), bodyOf(vector)]),
  );
  const { stdout } = await openssl;
  return `sha256=${stdout.trim().split(' ').at(-1)}`;
}

describe('the vectors', () => {
  const signedWith = (vector: Vector): string =>
    signDelivery({
      secretKey: vector.secret_key,
      timestampSeconds: Number(vector.headers['X-Service-Timestamp']),
      body: bodyOf(vector),
    });

  test.each(signed)("$name: carries what the service's own signer makes of it", (vector) => {
    expect(carried(vector)).toContain(signedWith(vector));
  });

  test.each(vectors.filter(({ reason }) => reason === 'signature_mismatch'))(
    "$name: carries nothing that the service's own signer makes of it",
    (vector) => {
      expect(carried(vector)).not.toContain(signedWith(vector));
    },
  );

  test('are shown to people as they are', () => {
    for (const vector of vectors) {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      if (vector.body_text === null) expect(() => text.decode(bodyOf(vector))).toThrow('not valid');
      else expect(text.decode(bodyOf(vector))).toBe(vector.body_text);
    }
  });

  test('each have a name of their own, and every reason is among them', () => {
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
    expect(new Set(vectors.map(({ reason }) => reason))).toEqual(
      new Set([
        ...[null, 'malformed_signature', 'malformed_timestamp', 'missing_secret'],
        ...['outside_replay_window', 'signature_mismatch'],
      ]),
    );
  });
});

const withoutOpenssl = await reasonToSkip({ openssl: 'version' });
(withoutOpenssl === '' ? describe : describe.skip)(`OpenSSL${withoutOpenssl}`, () => {
  test.each(signed)('makes what is carried by: $name', async (vector) => {
    expect(carried(vector)).toContain(await opensslSignature(vector));
  });
});

/** Each rule of the TypeScript function, and code that has forgotten it. */
const forgotten: [rule: string, from: string, to: string][] = [
  ['the secret', "if (secretKey === '')", 'if (false)'],
  [
    'the form of the timestamp',
    'if (!/^[0-9]{1,15}$/.test(timestamp))',
    'if (Number.isNaN(Number(timestamp)))',
  ],
  [
    'the form of the signature',
    'const isSignature = /^sha256=[0-9a-f]{64}$/;',
    'const isSignature = /^sha256=[0-9a-f]{64}$/i;',
  ],
  ['the current signature', 'if (!isSignature.test(signature))', 'if (false)'],
  ['the replay window', '> 300)', '> 301)'],
  ['deliveries from ahead', 'Math.abs(nowSeconds - Number(timestamp))', 'nowSeconds - Number(timestamp)'],
  ['the timestamp', '.update(`${timestamp}.`)', ''],
  ['the bytes', '.update(body)', '.update(body.toString())'],
  ['the previous signature', '[signature, previousSignature]', '[signature]'],
  ['the match', 'if (!isMatch)', 'if (false)'],
];

describe('control: a function that has forgotten a rule fails on some vector', () => {
  test.each(forgotten)('%s', async (_rule, from, to) => {
    const source = await readFile(path.join(examplesFolder, 'typescript/verify-webhook.ts'), 'utf8');
    expect(source).toContain(from);
    const spoilt = await loadSource(source.replace(from, to));
    expect(vectors.filter((vector) => !agrees(vector, spoilt))).not.toEqual([]);
  });

  test('the function as it is, loaded in the same way, agrees with all of them', async () => {
    const source = await readFile(path.join(examplesFolder, 'typescript/verify-webhook.ts'), 'utf8');
    const loaded = await loadSource(source);
    expect(vectors.filter((vector) => !agrees(vector, loaded))).toEqual([]);
  });
});

/** Loads a module from its text. */
async function loadSource(source: string): Promise<Example> {
  const { code } = await transform(source, { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } });
  return (await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)) as Example;
}
