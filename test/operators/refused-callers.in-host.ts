import { createAdminApp } from '../../src/main/admin-app.ts';
import { BOARD_PATH, createQueueBoard } from '../../src/operations/operators/queue-board.ts';
import { type Endpoint, endpointsOf } from '../http/mounted-routes.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** Every endpoint of the admin listener, including the queue board, from their routers. */
export async function endpointsOfAdmin(context: Context): Promise<Endpoint[]> {
  const board = endpointsOf(createQueueBoard(context.queues, context.config));
  return [
    ...endpointsOf(createAdminApp(context)),
    ...board.map(({ method, path }) => ({ method, path: BOARD_PATH + path })),
  ];
}

export const isPaused = ({ queues }: Context): Promise<boolean> => queues.byName('hold-expiry').isPaused();
