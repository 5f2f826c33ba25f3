import { createQueueBoard, ownPage } from '../../src/operations/operators/queue-board.ts';
import { type Endpoint, endpointsOf } from '../http/mounted-routes.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

const holdExpiry = ({ queues }: Context) => queues.byName('hold-expiry');

/** The ids of the jobs of `hold-expiry` that wait for their time. */
export async function delayedJobs(context: Context): Promise<string[]> {
  return (await holdExpiry(context).getDelayed()).map(({ id }) => String(id));
}

export const jobCount = (context: Context): Promise<number> =>
  holdExpiry(context).getJobCountByTypes('delayed', 'wait');

export const isPaused = (context: Context): Promise<boolean> => holdExpiry(context).isPaused();

/** As the board's router names them. */
export async function endpointsOfBoard({ queues, config }: Context): Promise<Endpoint[]> {
  return endpointsOf(createQueueBoard(queues, config));
}

/** A page of the board as it is served. */
export async function pageWithoutOthers(_context: Context, page: string): Promise<string> {
  return ownPage(page);
}
