import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project itself. */
export const projectFolder = fileURLToPath(new URL('../../', import.meta.url));

export type PlantedTree = { folder: string; remove: () => Promise<void> };

/**
 * A throw-away project with the given files (path → content), this project's packages and its settings, so that a tool
 * can be shown code which must never be written into the real tree. The caller removes it.
 */
export async function plantTree(files: Record<string, string>): Promise<PlantedTree> {
  const folder = await mkdtemp(path.join(tmpdir(), 'planted-tree-'));
  await symlink(path.join(projectFolder, 'node_modules'), path.join(folder, 'node_modules'));
  for (const settings of ['package.json', 'tsconfig.json', '.oxlintrc.json']) {
    await copyFile(path.join(projectFolder, settings), path.join(folder, settings));
  }
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

export type Outcome = { exitCode: number; output: string };

/** Runs node with `args` in `folder` to its end; `output` is what it wrote to both streams. Never rejects. */
export function runNode(folder: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { cwd: folder, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        resolve({ exitCode: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr });
      },
    );
  });
}
