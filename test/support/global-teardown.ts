import { mkdir, writeFile } from 'node:fs/promises';
import { stopProcess } from './worker-process.ts';

/** Ends the services' host and the servers of the test run, deletes their files, and keeps what the shared service logged of faults. */
export default async function globalTeardown(): Promise<void> {
  if (globalThis.serviceHost !== undefined) {
    await stopProcess(globalThis.serviceHost);
    await mkdir('test-results', { recursive: true });
    await writeFile('test-results/service-host.log', globalThis.serviceHost.output());
  }
  await globalThis.testServers?.stop();
}
