/** The library by which Docker Compose itself reads its files, as a program that prints what it makes of them. */

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
 * The model of Compose files of `project`, each over the one before, with these variables, checked against the schema of the
 * specification. `scratch` gets a copy of each with its variables filled in: the program knows no environment.
 *
 * @throws Error naming the variable that has to be set, or what the specification does not allow
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

/** Lines of comments apart; an empty variable is as one that is not set, as Compose has it for `:-` and `:?`. */
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
