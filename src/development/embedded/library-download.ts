/**
 * Has mongodb-memory-server download its mongod, or redis-memory-server build its redis-server from source.
 *
 * The work is done in a child process (this same file run as a program), because neither library lets a download that
 * hangs be given up.
 */

import { fileURLToPath } from 'node:url';
import { runBounded } from './bounded-command.ts';
import { nodeArguments } from './processes.ts';
import type { Environment, ServerKind } from './server-kinds.ts';

/** Time without a new byte; the longer one lets a slow machine link redis-server. */
const stallMs = { mongod: 20_000, 'redis-server': 60_000 };

/**
 * Returns the binary's path: below `folder`, which must be empty, if it is new; else where mongodb-memory-server already
 * keeps one of its own.
 *
 * @throws Error when the download or build fails, or makes no progress for 20 s (Redis: 60 s)
 */
export async function binaryFromLibrary(kind: ServerKind, folder: string, env: Environment): Promise<string> {
  const found: { binary?: string } = {};
  const child = fileURLToPath(new URL('./library-download-child.ts', import.meta.url));
  await runBounded({
    command: process.execPath,
    args: [...nodeArguments(child), kind.name, folder],
    env: childEnvironment(kind, env),
    folder,
    stallMs: stallMs[kind.name],
    onMessage: (message) => {
      if (typeof message === 'string') found.binary = message;
    },
  });
  if (found.binary === undefined) throw new Error('the library returned no binary');
  return found.binary;
}

function childEnvironment(kind: ServerKind, env: Environment): Environment {
  return {
    MONGOMS_MAX_RETRIES: '1',
    // Both libraries leave TLS certificates unchecked unless npm's own setting says otherwise.
    npm_config_strict_ssl: 'true',
    ...kind.libraryEnv,
    ...env,
    // The binary named by the variable has been tried already.
    [kind.variable]: undefined,
  };
}
