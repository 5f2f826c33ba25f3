import { createCertification } from './certification.ts';
import { readConfig } from './config.ts';
import type { Listener } from './listen.ts';
import { listen } from './listen.ts';
import { openShop } from './shop.ts';
import { ensureSubscription, rotateSecret } from './subscription.ts';
import { createApp } from './web/app.ts';

const logError = (problem: string) => (error: unknown) =>
  console.error(`${problem}: ${error instanceof Error ? error.message : String(error)}`);
const cannotOpen = logError('The box office cannot open');

try {
  process.loadEnvFile();
} catch (error) {
  // Without .env, all settings come from the environment.
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
const opened = await open().catch(cannotOpen);
if (opened === undefined) process.exit(1);
const { config, shop } = opened;
const { client, store, operations, events } = shop;

async function open() {
  const settings = readConfig();
  return { config: settings, shop: await openShop(settings) };
}

let isSubscribed = config.publicUrl === undefined;
/** Subscribes, repeats unanswered calls and reads missed events. The next interval repeats failed parts. */
async function catchUp(): Promise<void> {
  // The journal itself logs failures and recovery.
  if (!store.isWritable()) await store.tryWrite().catch(() => undefined);
  const { publicUrl } = config;
  if (!isSubscribed && publicUrl !== undefined)
    await ensureSubscription(store, client, `${publicUrl}/webhooks`).then(
      () => void (isSubscribed = true),
      logError('The webhooks are not subscribed yet'),
    );
  await Promise.all([
    operations.settle().catch(logError('Unanswered calls could not be repeated')),
    events.catchUp().catch(logError('The event feed could not be read')),
  ]);
}

const listeners: Listener[] = [];
async function listenAll(): Promise<void> {
  const { host, port, certificationPort } = config;
  const app = createApp(shop, config, () => void catchUp());
  listeners.push(await listen(app, { host, port, portSetting: 'PORT' }));
  if (certificationPort === undefined) return;
  const options = { host: '127.0.0.1', port: certificationPort, portSetting: 'CERTIFICATION_PORT' };
  listeners.push(await listen(createCertification(shop), options));
}
await listenAll().catch(async (error: unknown) => {
  cannotOpen(error);
  await store.close();
  process.exit(1);
});
void catchUp();
const timer = setInterval(() => void catchUp(), config.catchUpSeconds * 1000);

process.on('SIGUSR2', () => {
  rotateSecret(store, client).then(() => console.log('The webhook secret is changed'), logError('It is not changed'));
});
let isClosing = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => {
    // The signal may come twice: the terminal sends it to npm and to this process, and npm forwards it.
    if (isClosing) return;
    isClosing = true;
    clearInterval(timer);
    const closed = listeners.map(
      ({ server }) =>
        new Promise((resolve) => {
          server.close(resolve);
          server.closeIdleConnections();
        }),
    );
    void Promise.all(closed)
      .then(() => store.close())
      .then(() => process.exit(0));
  });

// Print these lines last: a script that waits for them may end the process at once.
const [pages, actions] = listeners;
if (actions !== undefined) console.log(`The actions of the certification are at ${actions.url}`);
console.log(`The box office is open at ${pages?.url}`);
