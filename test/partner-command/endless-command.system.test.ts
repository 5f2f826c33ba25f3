import { expect, test } from '@jest/globals';
import { commandTransport } from '../../packages/client/src/certification/command-transport.ts';

const transportOf = (program: string) =>
  commandTransport(
    [process.execPath, '-e', program],
    { PARTNER_BASE_URL: 'http://127.0.0.1:4010', PARTNER_API_KEY: 'pk_sandbox_any' },
    new AbortController().signal,
  );

test('of a command that writes without an end, no more than 1 MB is read, and it is killed', async () => {
  const endless = "const more = () => process.stdout.write('x'.repeat(65536), more); more();";
  await expect(transportOf(endless)('reconcile', {})).rejects.toThrow(
    'reconcile answered more than 1 MB. Answer its result and nothing else.',
  );
});

test('what a command logs is read to its end, however much that is', async () => {
  const log = "process.stderr.write('x'.repeat(5_000_000), () => console.log('{}'));";
  expect(await transportOf(log)('reconcile', {})).toEqual({});
  const failing = "process.stderr.write('no such order' + ' '.repeat(5_000_000), () => process.exit(3));";
  await expect(transportOf(failing)('reconcile', {})).rejects.toThrow('exit code 3: no such order');
});
