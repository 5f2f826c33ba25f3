import { afterAll, describe, expect, test } from '@jest/globals';
import { startReceivers } from '../support/receiver.ts';
import { startInternals } from './internals.ts';
import type { Row } from './row.ts';
import { createWorlds, runRow } from './world.ts';

/** Makes a test of each row on a service of this suite, with workers if rows wait for their work. */
export async function testRows(rows: readonly Row[], { hasWorkers }: { hasWorkers: boolean }): Promise<void> {
  const { internals, stop } = await startInternals(hasWorkers);
  const receivers = await startReceivers();
  const worlds = createWorlds(internals.service, receivers);
  afterAll(async () => {
    await stop();
    await receivers.close();
  });

  describe('the service keeps', () => {
    test.concurrent.each(rows.map((row) => ({ row, name: `${row.rules[0]}: ${row.title}` })))(
      '$name',
      async ({ row }) => expect(await runRow(row, worlds, internals)).toEqual([]),
    );
  });
}
