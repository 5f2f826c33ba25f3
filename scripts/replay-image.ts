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
  /** What ENV sets. */
  env: Record<string, string>;
  /** The command that HEALTHCHECK has. */
  healthCheck: string[];
};

/**
 * Replays a Dockerfile of `project` in `scratch`, a folder a stage.
 *
 * @throws Error for an instruction that it does not know, a file that .dockerignore keeps from the build, or a command that fails
 */
export async function replayImage(project: string, scratch: string): Promise<ReplayedImage> {
  const dockerfile = readFileSync(path.join(project, 'Dockerfile'), 'utf8');
  const isSent = sentToBuild(readFileSync(path.join(project, '.dockerignore'), 'utf8'));
  const stages = new Map<string, string>();
  const image: ReplayedImage = { folder: '', env: {}, healthCheck: [] };
  for (const { name, rest } of instructionsOf(dockerfile)) {
    const words = rest.split(' ');
    if (name === 'FROM') {
      image.folder = path.join(scratch, words[2] ?? 'last');
      mkdirSync(image.folder, { recursive: true });
      const base = stages.get(words[0] ?? '');
      if (base !== undefined) cpSync(base, image.folder, { recursive: true, verbatimSymlinks: true });
      stages.set(words[2] ?? 'last', image.folder);
    } else if (name === 'COPY') {
      copy(words, { project, stages, isSent }, image.folder);
    } else if (name === 'RUN') {
      await run(rest, image.folder);
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

type Sources = { project: string; stages: ReadonlyMap<string, string>; isSent: (file: string) => boolean };

function copy(words: readonly string[], { project, stages, isSent }: Sources, folder: string): void {
  const stage = words[0]?.startsWith('--from=') ? stages.get(words[0].slice(7)) : undefined;
  const [, ...names] = stage === undefined ? ['', ...words] : words;
  const target = names.pop() ?? '';
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
  const { NODE_OPTIONS: _, ...env } = process.env;
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
