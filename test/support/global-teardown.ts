import { mkdir, writeFile } from 'node:fs/promises';
import { stopProcess } from './worker-process.ts';

/** Ends the service and the servers of the test run, deletes their files, and keeps what the service logged of faults. */
export default async function globalTeardown(): Promise<void> {
  if (globalThis.testService !== undefined) {
    await stopProcess(globalThis.testService);
    await mkdir('test-results', { recursive: true });
    await writeFile('test-results/shared-service.log', globalThis.testService.output());
  }
  await globalThis.testServers?.stop();
}
