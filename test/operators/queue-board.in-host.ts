import { createAdminApp } from '../../src/main/admin-app.ts';
import { BOARD_PATH, createQueueBoard, ownPage } from '../../src/operations/operators/queue-board.ts';
import { type Endpoint, endpointsOf } from '../http/mounted-routes.ts';
import { eventually } from '../support/eventually.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

const holdExpiry = ({ queues }: Context) => queues.byName('hold-expiry');

/** Waits for a delayed job of `hold-expiry`; returns its id. */
export const delayedJob = (context: Context): Promise<string> =>
  eventually('a delayed job', async () => (await holdExpiry(context).getDelayed())[0]?.id);

export const jobCount = (context: Context): Promise<number> =>
  holdExpiry(context).getJobCountByTypes('delayed', 'wait');

export const isPaused = (context: Context): Promise<boolean> => holdExpiry(context).isPaused();

/** Every endpoint of the admin listener, including the queue board, from their routers. */
export async function endpointsOfAdmin(context: Context): Promise<Endpoint[]> {
  const board = endpointsOf(createQueueBoard(context.queues, context.config));
  return [
    ...endpointsOf(createAdminApp(context)),
    ...board.map(({ method, path }) => ({ method, path: BOARD_PATH + path })),
  ];
}

/** A page of the board as it is served. */
export async function pageWithoutOthers(_context: Context, page: string): Promise<string> {
  return ownPage(page);
}
