import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { readConfig } from './config.ts';
import { openShop } from './shop.ts';
import { ensureSubscription, rotateSecret } from './subscription.ts';
import { createApp } from './web/app.ts';

const tell = (what: string) => (error: unknown) =>
  console.error(`${what}: ${error instanceof Error ? error.message : String(error)}`);

try {
  process.loadEnvFile();
} catch (error) {
  // Without a file the environment has all of it.
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
const opened = await open().catch(tell('The box office cannot open'));
if (opened === undefined) process.exit(1);
const { config, shop } = opened;
const { client, store, operations, events } = shop;

async function open() {
  const settings = readConfig();
  return { config: settings, shop: await openShop(settings) };
}

let isSubscribed = config.publicUrl === undefined;
/** What may have been left undone, or passed by: tried until it works, now and at each interval. */
async function catchUp(): Promise<void> {
  const { publicUrl } = config;
  if (!isSubscribed && publicUrl !== undefined)
    await ensureSubscription(store, client, `${publicUrl}/webhooks`).then(
      () => void (isSubscribed = true),
      tell('The webhooks are not subscribed yet'),
    );
  await Promise.all([
    operations.settle().catch(tell('Unanswered calls could not be repeated')),
    events.catchUp().catch(tell('The event feed could not be read')),
  ]);
}

const server = createApp(shop, config, () => void catchUp()).listen(config.port, config.host);
await once(server, 'listening');
const { address, port } = server.address() as AddressInfo;
console.log(`The box office is open at http://${address}:${port}`);
void catchUp();
const timer = setInterval(() => void catchUp(), config.catchUpSeconds * 1000);

process.on('SIGUSR2', () => {
  rotateSecret(store, client).then(
    () => console.log('The webhook secret is changed'),
    tell('It is not changed'),
  );
});
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => {
    clearInterval(timer);
    server.close(() => void store.close().then(() => process.exit(0)));
    server.closeIdleConnections();
  });
