/** Does what the Dockerfile does, on this machine and without Docker: the same files, the same commands. The base image is this machine. */

import { execFile } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

export type Instruction = { name: string; rest: string };

/** The instructions of a Dockerfile, without comments, those of several lines on one. */
export function instructionsOf(dockerfile: string): Instruction[] {
  return dockerfile
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ name: line.split(' ', 1)[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }));
}

export type ReplayedImage = {
  /** The WORKDIR of the last stage. */
  folder: string;
  /** What ENV sets in it. */
  env: Record<string, string>;
  /** The command that HEALTHCHECK has. */
  healthCheck: string[];
};

/**
 * Replays a Dockerfile of `project` in `scratch`, a folder a stage. Like BuildKit it begins every stage at once, and one that needs
 * another waits for that.
 *
 * @throws Error for an instruction that it does not know, a file that .dockerignore keeps from the build, or a command that fails
 */
export async function replayImage(project: string, scratch: string): Promise<ReplayedImage> {
  const dockerfile = readFileSync(path.join(project, 'Dockerfile'), 'utf8');
  const isSent = sentToBuild(readFileSync(path.join(project, '.dockerignore'), 'utf8'));
  const stages = new Map<string, Promise<ReplayedImage>>();
  for (const { from, instructions } of stagesOf(instructionsOf(dockerfile))) {
    const [base = '', , name = 'last'] = from.split(' ');
    const sources = { project, stages: new Map(stages), isSent };
    stages.set(name, replayStage(path.join(scratch, name), base, instructions, sources));
  }
  const replayed = [...stages.values()];
  // So that no command is still at work where another failed.
  await Promise.allSettled(replayed);
  return (await replayed.at(-1)) ?? { folder: '', env: {}, healthCheck: [] };
}

/** What FROM says of each stage, and the instructions after it. */
function stagesOf(instructions: readonly Instruction[]): { from: string; instructions: Instruction[] }[] {
  const stages: { from: string; instructions: Instruction[] }[] = [];
  for (const instruction of instructions) {
    if (instruction.name === 'FROM') stages.push({ from: instruction.rest, instructions: [] });
    else stages.at(-1)?.instructions.push(instruction);
  }
  return stages;
}

type Sources = {
  project: string;
  /** Those above in the Dockerfile. */
  stages: ReadonlyMap<string, Promise<ReplayedImage>>;
  isSent: (file: string) => boolean;
};

async function replayStage(
  folder: string,
  base: string,
  instructions: readonly Instruction[],
  sources: Sources,
): Promise<ReplayedImage> {
  const image: ReplayedImage = { folder, env: {}, healthCheck: [] };
  const parent = await sources.stages.get(base);
  mkdirSync(folder, { recursive: true });
  if (parent !== undefined) cpSync(parent.folder, folder, { recursive: true, verbatimSymlinks: true });
  for (const { name, rest } of instructions) {
    if (name === 'COPY') {
      await copy(rest.split(' '), sources, folder);
    } else if (name === 'RUN') {
      await run(rest, folder);
    } else if (name === 'ENV') {
      for (const [, key = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) image.env[key] = value;
    } else if (name === 'HEALTHCHECK') {
      image.healthCheck = JSON.parse(rest.slice(rest.indexOf('CMD ') + 4)) as string[];
    } else if (!['ARG', 'WORKDIR', 'USER', 'EXPOSE', 'STOPSIGNAL', 'CMD'].includes(name)) {
      throw new Error(`This cannot be replayed: ${name} ${rest}`);
    }
  }
  return image;
}

async function copy(
  words: readonly string[],
  { project, stages, isSent }: Sources,
  folder: string,
): Promise<void> {
  const isOfStage = words[0]?.startsWith('--from=') === true;
  const stage = isOfStage ? (await stages.get(words[0]?.slice(7) ?? ''))?.folder : undefined;
  if (isOfStage && stage === undefined) throw new Error(`There is no such stage: ${words.join(' ')}`);
  const names = isOfStage ? words.slice(1, -1) : words.slice(0, -1);
  const target = words.at(-1) ?? '';
  for (const name of names) {
    if (stage === undefined && !isSent(name)) throw new Error(`.dockerignore does not send ${name}`);
    const from =
      stage === undefined ? path.join(project, name) : path.join(stage, name.replace(/^\/app\/?/, ''));
    // A folder is copied as what is in it; several files go into one that ends in a slash.
    const isInto = target.endsWith('/') && !lstatSync(from).isDirectory();
    cpSync(from, path.join(folder, target, isInto ? path.basename(name) : ''), {
      ...{ recursive: true, verbatimSymlinks: true },
      filter: (file) => stage !== undefined || isSent(path.relative(project, file)),
    });
  }
}

async function run(command: string, folder: string): Promise<void> {
  const { NODE_OPTIONS: _, ...own } = process.env;
  // Packages are those of the lockfile, by their hashes, so those that npm has kept need not be asked for again.
  const env = { ...own, npm_config_prefer_offline: 'true' };
  await promisify(execFile)('sh', ['-c', command], { env, cwd: folder, maxBuffer: 64 * 1024 * 1024 });
}

/** Which files a .dockerignore sends that begins with `*`: those that a later `!` names, but for what comes after. */
function sentToBuild(rules: string): (file: string) => boolean {
  const lines = rules.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const kept = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  const left = lines
    .filter((line) => line !== '*' && !line.startsWith('!'))
    .map((line) => new RegExp(`^${line.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}(/|$)`));
  return (file) =>
    kept.some((name) => file === name || file.startsWith(`${name}/`) || name.startsWith(`${file}/`)) &&
    !left.some((pattern) => pattern.test(file));
}

/** The bytes of all files in a folder. */
export function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => lstatSync(path.join(folder, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const scratch = process.argv[2] ?? path.join(tmpdir(), `replayed-image-${process.pid}`);
  const { folder } = await replayImage(path.join(import.meta.dirname, '..'), scratch);
  const megabytes = (name: string) => `${name}: ${(bytesIn(path.join(folder, name)) / 1e6).toFixed(1)} MB`;
  process.stdout.write(
    `${[folder, ...['', 'node_modules', 'dist', 'dist/.site'].map(megabytes)].join('\n')}\nThe base image is not in it.\n`,
  );
}
