import { networkInterfaces } from 'node:os';
import { expect, test } from '@jest/globals';
import { startProxy } from '../../packages/client/src/certification/proxy.ts';

test('the proxy listens on this machine only', async () => {
  const proxy = await startProxy({ baseUrl: 'http://127.0.0.1:9', port: 0, onAnswer: () => undefined });
  const { port, hostname } = new URL(proxy.url);
  const others = Object.values(networkInterfaces())
    .flat()
    .filter((each) => each !== undefined && !each.internal && each.family === 'IPv4');
  for (const each of others) await expect(fetch(`http://${each?.address}:${port}/`)).rejects.toThrow('fetch failed');
  expect(hostname).toBe('127.0.0.1');
  await proxy.close();
});
