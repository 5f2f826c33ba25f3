/** Parses Compose files with Docker Compose's own library, through its command line program. */

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { goProgram } from './go-program.ts';

const COMPOSE = {
  name: 'compose-model',
  binary: 'cmd',
  module: 'github.com/compose-spec/compose-go/v2/cmd',
  version: 'v2.10.0',
};

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The merged model of Compose files in the folder `project`, checked against the schema of the Compose specification.
 * The program reads no environment: it gets copies of the files, in the folder `scratch`, with the variables replaced.
 *
 * @throws Error that names the missing variable or the violation of the specification
 */
export async function composeModel(
  project: string,
  files: readonly string[],
  variables: Environment,
  scratch: string,
): Promise<unknown> {
  const program = await goProgram(COMPOSE, process.env);
  const copies = files.map((name) => {
    const file = path.join(scratch, name);
    writeFileSync(file, interpolated(readFileSync(path.join(project, name), 'utf8'), variables));
    return file;
  });
  const args = ['-format', 'json', '-no-interpolation', ...copies];
  const { stdout } = await promisify(execFile)(program, args, { cwd: scratch });
  return JSON.parse(stdout);
}

const INNERMOST = /\$\{(\w+)(?::([-?])([^{}]*))?\}/;

/**
 * Removes comment lines, and replaces variables, innermost first. An empty variable counts as unset: Compose does the
 * same for `:-` and `:?`.
 */
function interpolated(text: string, variables: Environment): string {
  let result = text.replaceAll(/^\s*#.*$/gm, '');
  for (let match = INNERMOST.exec(result); match !== null; match = INNERMOST.exec(result)) {
    const [all, name = '', operator, fallback = ''] = match;
    const value = variables[name] || undefined;
    if (value === undefined && operator === '?') throw new Error(`${name}: ${fallback}`);
    result = result.replace(all, () => value ?? fallback);
  }
  return result.replaceAll('$$', '$');
}
