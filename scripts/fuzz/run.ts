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
  /** Maximum of generated cases per operation, in addition to the cases from its schema. */
  casesPerOperation: number;
  deadlineMs: number;
  /** An empty folder. */
  folder: string;
};

export type Outcome = {
  /** Requests sent and checked. */
  cases: number;
  /** Requests with a 2xx response. */
  accepted: number;
  isClean: boolean;
  /** The fuzzer's output, with a command that repeats each fault. */
  output: string;
};

/** The fields of the fuzzer's report that this file reads. */
type Report = {
  complete: boolean;
  test_cases: { generated: number };
  errors: unknown[];
  valid_rates: Record<string, Record<string, { accepted: number }>>;
};

/** Sends the cases and checks every response. The outcome is clean if the fuzzer finished and found no error. */
export async function runFuzzer(python: string, target: Target): Promise<Outcome> {
  const file = (name: string) => path.join(target.folder, name);
  await writeFile(file('openapi.json'), JSON.stringify(target.document));
  await writeFile(file('schemathesis.toml'), fuzzSettings(target.document, target.values));
  const { code, output } = await run(python, argumentsOf(target, file), target);
  const reportText = await readFile(file('report.json'), 'utf8').catch(() => '');
  // A fuzzer that was killed leaves no report, or an empty one.
  if (reportText === '') return { cases: 0, accepted: 0, isClean: false, output };
  const report = JSON.parse(reportText) as Report;
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
    const timer = setTimeout(() => {
      output += `\nKilled: not finished after ${target.deadlineMs / 1000} s.\n`;
      child.kill('SIGKILL');
    }, target.deadlineMs);
    const killChild = () => child.kill('SIGKILL');
    process.once('exit', killChild);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      process.removeListener('exit', killChild);
      resolve({ code: code ?? signal ?? 'unknown', output });
    });
  });
}
