import { mkdir, writeFile } from 'node:fs/promises';
import { stopProcess } from './worker-process.ts';

/** Stops the service host and the servers, deletes their files, and saves the output of the host. */
export default async function globalTeardown(): Promise<void> {
  if (globalThis.serviceHost !== undefined) {
    await stopProcess(globalThis.serviceHost);
    await mkdir('test-results', { recursive: true });
    await writeFile('test-results/service-host.log', globalThis.serviceHost.output());
  }
  await globalThis.testServers?.stop();
}
