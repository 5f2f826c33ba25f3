import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from '../../src/development/embedded/binary-cache.ts';

/** Redis of Debian 12, which has TLS, and the libraries that it needs beside the system's. */
const PACKAGES = ['redis-tools', 'liblzf1', 'libjemalloc2'];
const TLS_REFUSED = /TLS|unknown|Bad directive/i;

/**
 * Command that starts a redis-server with TLS: the one on the PATH, or Debian's package from the cache or downloaded
 * with apt-get from the machine's sources. Does not install it.
 * @throws Error if there is none
 */
export function redisWithTls(): string[] {
  if (knowsTls(['redis-server'])) return ['redis-server'];
  const folder = path.join(cacheFolder(process.env), 'debian-redis-tls');
  const command = [
    'env',
    `LD_LIBRARY_PATH=${path.join(folder, 'usr/lib/x86_64-linux-gnu')}`,
    path.join(folder, 'usr/bin/redis-check-rdb').replace('redis-check-rdb', 'redis-server'),
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

/** A redis-server without TLS exits at once if given a TLS port. */
function knowsTls([command = '', ...first]: string[]): boolean {
  try {
    execFileSync(command, [...first, '--port', '0', '--tls-port', '1', '--tls-cert-file', '/nonexistent'], {
      stdio: 'pipe',
      timeout: 5000,
    });
  } catch (err) {
    const { stdout } = err as { stdout?: Buffer };
    const text = String(stdout ?? '');
    return text !== '' && !/Missing implement|Failed finding TLS/.test(text) && TLS_REFUSED.test(text);
  }
  return false;
}
