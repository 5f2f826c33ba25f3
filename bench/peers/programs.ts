import path from 'node:path';
import { isExecutable } from '../../src/development/embedded/run-command.ts';

/** Programs to install, by the environment variable that contains their folder. */
const PROGRAMS = {
  OUTPOST_BIN: {
    files: ['outpost', 'outpost-server'],
    how: 'Outpost: in the source of github.com/hookdeck/outpost, go build -o FOLDER/ ./cmd/outpost ./cmd/outpost-server',
  },
  RABBITMQ_BIN: {
    files: ['rabbitmq-server'],
    how: 'RabbitMQ: the folder sbin of its generic build, or of /usr/lib/rabbitmq/lib/rabbitmq_server-* on Debian; erl and epmd must be on the PATH',
  },
  POSTGRES_BIN: {
    files: ['initdb', 'postgres', 'psql'],
    how: 'PostgreSQL: the folder that pg_config --bindir prints',
  },
} as const;

export type ProgramFolders = Record<keyof typeof PROGRAMS, string>;

/** The programs' folders. `missing`: a text that names missing programs and says how to get them. */
export async function findPrograms(
  env: Record<string, string | undefined>,
): Promise<{ folders: ProgramFolders; missing: string | undefined }> {
  const folders: ProgramFolders = { OUTPOST_BIN: '', RABBITMQ_BIN: '', POSTGRES_BIN: '' };
  const lines: string[] = [];
  for (const variable of Object.keys(PROGRAMS) as (keyof ProgramFolders)[]) {
    const { files, how } = PROGRAMS[variable];
    const folder = path.resolve(env[variable] ?? '');
    folders[variable] = folder;
    const runnable = await Promise.all(files.map((file) => isExecutable(path.join(folder, file))));
    const absent = files.filter((_file, index) => !runnable[index]).join(', ');
    if (!env[variable]) lines.push(`${variable} is not set: the folder with ${files.join(', ')}.\n  ${how}`);
    else if (absent !== '') lines.push(`${variable} is ${folder}, which lacks ${absent}.\n  ${how}`);
  }
  const heading = 'node --import tsx bench/peers/peers.ts needs programs that are missing:';
  return { folders, missing: lines.length === 0 ? undefined : [heading, ...lines].join('\n\n') };
}
