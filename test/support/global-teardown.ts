/** Ends the servers of the test run and deletes their files. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.testServers?.stop();
}
