import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, jest } from '@jest/globals';
import { goProgram } from '../../scripts/go-program.ts';
import { projectFolder } from '../architecture/planted-tree.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { anyPartner, anyVenue, freeSlotIds } from '../support/factories.ts';
import { startFrontProxy } from '../support/front-proxy.ts';
import { startService } from '../support/service.ts';
import { nodeModules, python, run, testWith } from './tools.ts';

jest.setTimeout(600_000);

const OPENAPI_GENERATOR = { 'openapi-generator-cli': '7.25.0' };
const OPENAPI_PYTHON_CLIENT = { 'openapi-python-client': '0.29.1', mypy: '2.4.1' };
/** Dependencies of the Python clients that openapi-generator makes. */
const PYDANTIC = { pydantic: '2.14.4', 'python-dateutil': '2.9.0', urllib3: '2.8.0', 'typing-extensions': '4.16.0' };
const OAPI_CODEGEN = {
  name: 'oapi-codegen',
  module: 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen',
  version: 'v2.8.2',
};
const OPENAPI_TYPESCRIPT = 'openapi-typescript@7.13.0';
const SPECTRAL = '@stoplight/spectral-cli@6.16.3';
const TSC = path.join(projectFolder, 'node_modules/typescript/bin/tsc');
const STRICT_FLAGS = ['--noEmit', '--strict'];
const BUNDLER_FLAGS = '--target es2022 --lib es2022,dom --module esnext --moduleResolution bundler'.split(' ');
const GO = { CGO_ENABLED: '0', GOFLAGS: '-mod=mod' };

/** Calls the package's function: it has no runnable module, and its script contains the folder where pip built it. */
const RUN_OPENAPI_GENERATOR =
  'import sys, openapi_generator_cli; sys.exit(openapi_generator_cli.run(sys.argv[1:]).returncode)';

const IMPORT_ALL = `
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
`;

let generatorInterpreter: Promise<string> | undefined;

/** Generates a client of the description, with default options, in the folder `client` of `cwd`. */
async function openapiGenerator(generator: string, description: string, cwd: string): Promise<void> {
  generatorInterpreter ??= python(OPENAPI_GENERATOR);
  const args = ['generate', '-g', generator, '-i', description, '-o', 'client'];
  await run(await generatorInterpreter, ['-c', RUN_OPENAPI_GENERATOR, ...args], { cwd });
}

/** Makes a client of the description in the empty folder `cwd` and compiles it. @throws Error if that fails */
type Make = (description: string, cwd: string) => Promise<unknown>;

async function makePython(description: string, cwd: string): Promise<void> {
  await openapiGenerator('python', description, cwd);
  await run(await python(PYDANTIC), ['-c', IMPORT_ALL, 'openapi_client'], { cwd: path.join(cwd, 'client') });
}

async function makeGo(description: string, cwd: string): Promise<void> {
  await openapiGenerator('go', description, cwd);
  const client = path.join(cwd, 'client');
  await rm(path.join(client, 'test'), { recursive: true });
  await run('go', ['mod', 'tidy'], { cwd: client, env: GO });
  await run('go', ['build', './...'], { cwd: client, env: GO });
}

async function makeTypeScript(description: string, cwd: string): Promise<void> {
  await openapiGenerator('typescript-fetch', description, cwd);
  await run(process.execPath, [TSC, ...STRICT_FLAGS, ...BUNDLER_FLAGS, 'client/index.ts'], { cwd });
}

async function makeTypedPython(description: string, cwd: string): Promise<void> {
  const program = await python(OPENAPI_PYTHON_CLIENT);
  const output = ['--output-path', 'client', '--meta', 'none'];
  const generate = ['-m', 'openapi_python_client', 'generate', '--path', description, ...output];
  expect(await run(program, generate, { cwd })).not.toContain('WARNING parsing');
  await run(program, ['-c', IMPORT_ALL, 'client'], { cwd });
}

type Program = (baseUrl: string, apiKey: string, slotId: string) => Promise<string>;

/** `prepare` makes a program that books a slot, in the folder of the client that `make` generated. */
type Row = [generator: string, needs: Record<string, string>, make: Make, prepare?: (cwd: string) => Promise<Program>];

const typeScriptProgram =
  (source: string) =>
  async (cwd: string): Promise<Program> => {
    await writeFile(path.join(cwd, 'package.json'), '{"private":true,"type":"module"}');
    await symlink(path.join(projectFolder, 'node_modules'), path.join(cwd, 'node_modules'));
    await cp(path.join(import.meta.dirname, source), path.join(cwd, 'program.mts'));
    const flags = ['--allowImportingTsExtensions', '--types', 'node', ...BUNDLER_FLAGS, 'program.mts'];
    await run(process.execPath, [TSC, ...STRICT_FLAGS, ...flags], { cwd });
    return (...args) => run(process.execPath, ['--import', 'tsx', 'program.mts', ...args], { cwd });
  };

const ROWS: Row[] = [
  [
    'openapi-generator for python',
    { java: '-version', python3: '--version' },
    makePython,
    async (cwd) => {
      const program = path.join(cwd, 'client/hold_and_confirm.py');
      await cp(path.join(import.meta.dirname, 'hold_and_confirm.py'), program);
      const interpreter = await python(PYDANTIC);
      return (...args) => run(interpreter, [program, ...args]);
    },
  ],
  [
    'openapi-generator for go',
    { java: '-version', go: 'version' },
    makeGo,
    async (cwd) => {
      await mkdir(path.join(cwd, 'client/command'));
      const source = path.join(import.meta.dirname, 'hold_and_confirm.go');
      await cp(source, path.join(cwd, 'client/command/main.go'));
      await run('go', ['build', '-o', 'program', './command'], { cwd: path.join(cwd, 'client'), env: GO });
      return (...args) => run(path.join(cwd, 'client/program'), args);
    },
  ],
  [
    'openapi-generator for typescript-fetch',
    { java: '-version' },
    makeTypeScript,
    typeScriptProgram('hold-and-confirm.mts'),
  ],
  [
    'openapi-generator for java',
    { mvn: '-version' },
    async (description, cwd) => {
      await openapiGenerator('java', description, cwd);
      const flags = ['--batch-mode', '--quiet', '-Dmaven.test.skip=true'];
      await run('mvn', [...flags, 'compile'], { cwd: path.join(cwd, 'client') });
    },
  ],
  [
    'oapi-codegen',
    { go: 'version' },
    async (description, cwd) => {
      const program = await goProgram(OAPI_CODEGEN, process.env);
      await writeFile(path.join(cwd, 'go.mod'), 'module example.com/client\n\ngo 1.24\n');
      const args = ['-package', 'client', '-generate', 'types,client', '-o', 'client.go', description];
      await run(program, args, { cwd });
      await run('go', ['mod', 'tidy'], { cwd, env: GO });
      await run('go', ['build', './...'], { cwd, env: GO });
    },
  ],
  [
    'openapi-python-client',
    { python3: '--version' },
    makeTypedPython,
    async (cwd) => {
      const interpreter = await python(OPENAPI_PYTHON_CLIENT);
      const source = await readFile(path.join(import.meta.dirname, 'hold_and_confirm_typed.py'), 'utf8');
      await writeFile(path.join(cwd, 'program.py'), source);
      const wrong = source.replaceAll('PlaceHoldBody(slot_id=slot_id)', 'slot_id');
      await writeFile(path.join(cwd, 'wrong.py'), wrong);
      const checkTypes = ['-m', 'mypy', '--strict', '--follow-imports=silent'];
      await run(interpreter, [...checkTypes, 'program.py'], { cwd });
      await expect(run(interpreter, [...checkTypes, 'wrong.py'], { cwd })).rejects.toThrow('Argument "body"');
      return (...args) => run(interpreter, ['program.py', ...args], { cwd });
    },
  ],
  [
    'openapi-typescript with openapi-fetch',
    {},
    async (description, cwd) => {
      const program = path.join(await nodeModules([OPENAPI_TYPESCRIPT]), 'openapi-typescript/bin/cli.js');
      await run(process.execPath, [program, description, '-o', 'client.d.ts'], { cwd });
      await run(process.execPath, [TSC, ...STRICT_FLAGS, 'client.d.ts'], { cwd });
    },
    typeScriptProgram('hold-and-confirm-fetch.mts'),
  ],
];

const descriptionOf = (listener: string) => path.join(projectFolder, `docs/openapi.${listener}.json`);

const service = await startService();
afterAll(() => service.stop());

/**
 * Adds an unknown field to each object of a response, as a later release may. Leaves the partner's own `metadata`
 * alone.
 */
const withUnknownFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withUnknownFields);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(
    ([name, member]) => [name, name === 'metadata' ? member : withUnknownFields(member)] as const,
  );
  return { ...Object.fromEntries(members), added_later: { of: ['a', 'later', 'release'] } };
};

/** Books a slot with a program of the generated client, then another while responses have unknown fields. */
async function bookTwice(program: Program): Promise<string[]> {
  const venue = await anyVenue(service);
  const partner = await anyPartner(service, [venue.id]);
  const [first = '', second = ''] = await freeSlotIds(partner, venue.id);
  const laterRelease = await startFrontProxy(service.url, { change: withUnknownFields });
  try {
    const printed = await program(service.url, partner.apiKey, first);
    return [printed, await program(`http://127.0.0.1:${laterRelease.port}`, partner.apiKey, second)];
  } finally {
    await laterRelease.close();
  }
}

for (const [generator, needs, make, prepare] of ROWS) {
  const booking = prepare === undefined ? '' : '; that of partners books a slot, even if responses have unknown fields';
  await testWith(needs, `${generator} makes clients of both descriptions that compile${booking}`, async () => {
    await make(descriptionOf('operator'), await temporaryFolder());
    const client = await temporaryFolder();
    await make(descriptionOf('partner'), client);
    if (prepare !== undefined)
      expect(await bookTwice(await prepare(client))).toEqual(Array(2).fill('SLOT_NOT_AVAILABLE held\nBOOKED\n'));
  });
}

await testWith({}, 'Spectral finds no error in the descriptions', async () => {
  const program = path.join(await nodeModules([SPECTRAL]), '@stoplight/spectral-cli/dist/index.js');
  const cwd = await temporaryFolder();
  await writeFile(path.join(cwd, 'rules.yaml'), 'extends: ["spectral:oas"]\n');
  const args = [program, 'lint', '-F', 'error', '-D', '-r', 'rules.yaml'];
  for (const listener of ['partner', 'operator'])
    await expect(run(process.execPath, [...args, descriptionOf(listener)], { cwd })).resolves.toBeDefined();
});
