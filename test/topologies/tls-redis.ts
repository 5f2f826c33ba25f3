import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from '../../src/development/embedded/binary-cache.ts';

/** Debian packages that a redis-server with TLS needs. */
const PACKAGES = ['redis-tools', 'liblzf1', 'libjemalloc2'];
const TLS_ERROR = /TLS|unknown|Bad directive/i;

/**
 * The command that starts a redis-server with TLS: the program on the PATH, or Debian's package, which is unpacked into
 * the cache folder and not installed.
 * @throws Error if none has TLS
 */
export function redisWithTls(): string[] {
  if (knowsTls(['redis-server'])) return ['redis-server'];
  const folder = path.join(cacheFolder(process.env), 'debian-redis-tls');
  const command = [
    'env',
    `LD_LIBRARY_PATH=${path.join(folder, 'usr/lib/x86_64-linux-gnu')}`,
    path.join(folder, 'usr/bin/redis-server'),
  ];
  if (!existsSync(path.join(folder, 'usr/bin'))) unpackPackages(folder);
  if (!knowsTls(command))
    throw new Error('TLS needs a redis-server that is built with it on the PATH (Debian: apt install redis-server)');
  return command;
}

function unpackPackages(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: folder, stdio: 'pipe' });
  try {
    run('apt-get', 'download', ...PACKAGES, 'redis-server');
  } catch {
    run('apt-get', 'update');
    run('apt-get', 'download', ...PACKAGES, 'redis-server');
  }
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb'))) run('dpkg', '-x', file, folder);
}

/** Whether the program has TLS. One without TLS rejects a TLS port; one with TLS rejects the missing certificate. */
function knowsTls([command = '', ...first]: string[]): boolean {
  try {
    execFileSync(command, [...first, '--port', '0', '--tls-port', '1', '--tls-cert-file', '/nonexistent'], {
      stdio: 'pipe',
      timeout: 5000,
    });
  } catch (err) {
    const { stdout } = err as { stdout?: Buffer };
    const text = String(stdout ?? '');
    return text !== '' && !/Missing implement|Failed finding TLS/.test(text) && TLS_ERROR.test(text);
  }
  return false;
}
