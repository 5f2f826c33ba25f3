/** Runs the fuzzer against one listener. */

import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { KnownValues, OpenApiDocument } from './settings.ts';
import { fuzzSettings } from './settings.ts';

/** Checks of every response. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];
const PHASES = ['examples', 'coverage', 'fuzzing', 'stateful'];
const REQUEST_TIMEOUT_SECONDS = 20;

export type Target = {
  /** Address of the service, without a path. */
  url: string;
  apiKey: string;
  document: OpenApiDocument;
  values: KnownValues;
  seed: number;
  /** Generated cases per operation at most, besides those of its schema. */
  casesPerOperation: number;
  deadlineMs: number;
  /** An empty folder. */
  folder: string;
};

export type Outcome = {
  /** Requests sent and checked. */
  cases: number;
  /** Calls answered 2xx. */
  accepted: number;
  isClean: boolean;
  /** The fuzzer's output, with a command that repeats each fault. */
  output: string;
};

/** The part of the fuzzer's report that is read. */
type Report = {
  complete: boolean;
  test_cases: { generated: number };
  errors: unknown[];
  valid_rates: Record<string, Record<string, { accepted: number }>>;
};

/** Sends the cases and checks every response. Not clean if a response is wrong or the fuzzer did not finish. */
export async function runFuzzer(python: string, target: Target): Promise<Outcome> {
  const file = (name: string) => path.join(target.folder, name);
  await writeFile(file('openapi.json'), JSON.stringify(target.document));
  await writeFile(file('schemathesis.toml'), fuzzSettings(target.document, target.values));
  const { code, output } = await run(python, argumentsOf(target, file), target);
  const written = await readFile(file('report.json'), 'utf8').catch(() => undefined);
  if (written === undefined) return { cases: 0, accepted: 0, isClean: false, output };
  const report = JSON.parse(written) as Report;
  const accepted = Object.values(report.valid_rates)
    .flatMap((phases) => Object.values(phases))
    .reduce((sum, rate) => sum + rate.accepted, 0);
  const isClean = code === 0 && report.complete && report.errors.length === 0;
  return { cases: report.test_cases.generated, accepted, isClean, output };
}

function argumentsOf(target: Target, file: (name: string) => string): string[] {
  return [
    ...['-m', 'schemathesis.cli', '--config-file', file('schemathesis.toml'), 'run', file('openapi.json')],
    ...['--url', target.url, '--header', `x-api-key: ${target.apiKey}`],
    ...['--checks', CHECKS.join(','), '--phases', PHASES.join(','), '--mode', 'all'],
    ...['--max-examples', String(target.casesPerOperation), '--seed', String(target.seed)],
    ...['--continue-on-failure', '--no-shrink', '--request-timeout', String(REQUEST_TIMEOUT_SECONDS)],
    ...['--generation-database', 'none', '--warnings', 'off', '--no-color'],
    ...['--report', 'json', '--report-json-path', file('report.json')],
  ];
}

function run(command: string, args: string[], target: Target): Promise<{ code: number | string; output: string }> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, COLUMNS: '80', PYTHONUNBUFFERED: '1' };
    const child = spawn(command, args, { cwd: target.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    const late = setTimeout(() => {
      output += `\nKilled: not finished after ${target.deadlineMs / 1000} s.\n`;
      child.kill('SIGKILL');
    }, target.deadlineMs);
    const endWithUs = () => child.kill('SIGKILL');
    process.once('exit', endWithUs);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(late);
      process.removeListener('exit', endWithUs);
      resolve({ code: code ?? signal ?? 'unknown', output });
    });
  });
}
