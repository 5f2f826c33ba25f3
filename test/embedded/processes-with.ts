import { readdir, readFile } from 'node:fs/promises';
import { isAlive } from '../../src/development/embedded/processes.ts';

/** Every running process that inherited `variable`, such as `DATA_DIR=/tmp/x`. */
export async function processesWith(variable: string) {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const all = pids.map(async (pid) => {
    const read = async (name: string) => (await readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')).split('\0');
    return { pid, command: (await read('cmdline')).join(' '), environment: await read('environ') };
  });
  return (await Promise.all(all)).filter(({ pid, environment }) => environment.includes(variable) && isAlive(pid));
}
