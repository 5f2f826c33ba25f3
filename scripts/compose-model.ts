/** Parses Compose files with Docker Compose's own library, through its command line program. */

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { goProgram } from './go-program.ts';

const COMPOSE = {
  name: 'compose-model',
  built: 'cmd',
  module: 'github.com/compose-spec/compose-go/v2/cmd',
  version: 'v2.10.0',
};

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The merged model of Compose files of `project` with these variables, checked against the specification's schema.
 * Writes copies with the variables filled in to `scratch`, because the program reads no environment.
 *
 * @throws Error naming the variable that is missing, or the violation of the specification
 */
export async function composeModel(
  project: string,
  files: readonly string[],
  variables: Environment,
  scratch: string,
): Promise<unknown> {
  const program = await goProgram(COMPOSE, process.env);
  const filled = files.map((name) => {
    const file = path.join(scratch, name);
    writeFileSync(file, interpolated(readFileSync(path.join(project, name), 'utf8'), variables));
    return file;
  });
  const args = ['-format', 'json', '-no-interpolation', ...filled];
  const { stdout } = await promisify(execFile)(program, args, { cwd: scratch });
  return JSON.parse(stdout);
}

const INNERMOST = /\$\{(\w+)(?::([-?])([^{}]*))?\}/;

/** Replaces variables, except in comment lines. An empty variable counts as unset, as Compose treats `:-` and `:?`. */
function interpolated(text: string, variables: Environment): string {
  let filled = text.replaceAll(/^\s*#.*$/gm, '');
  for (let found = INNERMOST.exec(filled); found !== null; found = INNERMOST.exec(filled)) {
    const [all, name = '', kind, otherwise = ''] = found;
    const value = variables[name] || undefined;
    if (value === undefined && kind === '?') throw new Error(`${name}: ${otherwise}`);
    filled = filled.replace(all, () => value ?? otherwise);
  }
  return filled.replaceAll('$$', '$');
}
