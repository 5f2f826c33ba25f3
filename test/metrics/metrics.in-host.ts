import { createBaseApp } from '../../src/http/base-app.ts';
import type { Listener } from '../../src/http/listen.ts';
import { listen } from '../../src/http/listen.ts';
import { mountMetrics } from '../../src/metrics/metrics-page.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];
type Page = { listener: Listener; asked: number };

const pages = new WeakMap<Context, Page>();

/** The page of another process, of which is known how often it asked the database. */
export async function openPage(context: Context): Promise<{ url: string }> {
  const app = createBaseApp(context.log);
  const missingGuards = async () => {
    page.asked += 1;
    return [];
  };
  mountMetrics(app, { ...context, missingGuards });
  const page: Page = { listener: await listen(app, '127.0.0.1', 0), asked: 0 };
  pages.set(context, page);
  return { url: page.listener.url };
}

export const timesAsked = (context: Context): number => pages.get(context)?.asked ?? 0;

export async function closePage(context: Context): Promise<void> {
  await pages.get(context)?.listener.close();
}
