import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { databaseUri, freshName, SHARED_NAME, serviceEnvironment } from '../support/service-environment.ts';
import { programArguments } from '../support/worker-process.ts';

test('an API whose log is on a full disk continues, reports this once on stderr, and counts the dropped lines', async () => {
  const environment = serviceEnvironment(freshName(), {
    MONGODB_URI: databaseUri(SHARED_NAME),
    LOG_LEVEL: 'info',
  });
  const fullDisk = openSync('/dev/full', 'w');
  const api = spawn(process.execPath, programArguments('src/main/api.ts'), {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', fullDisk, 'pipe', 'ipc'],
  });
  const stderr: Buffer[] = [];
  api.stderr?.on('data', (chunk: Buffer) => void stderr.push(chunk));
  try {
    const [{ url, adminUrl }] = (await once(api, 'message')) as [{ url: string; adminUrl: string }];
    const dropped = async () => {
      const page = await (await fetch(`${adminUrl}/metrics`)).text();
      return Number(/^log_lines_dropped_total (\d+)$/m.exec(page)?.[1]);
    };
    const call = async () => (await fetch(`${url}/api/v1/bookings`)).status;
    expect(await dropped()).toBe(0);
    await eventually('the buffer of unwritten lines is full', async () => {
      expect(new Set(await Promise.all(Array.from({ length: 200 }, call)))).toEqual(new Set([401]));
      return (await dropped()) > 0;
    });
    expect(
      Buffer.concat(stderr)
        .toString()
        .match(/The log cannot be written \(ENOSPC\)/g),
    ).toHaveLength(1);
    expect(await call()).toBe(401);
  } finally {
    api.kill('SIGTERM');
  }
  expect(await once(api, 'exit')).toEqual([0, null]);
});
