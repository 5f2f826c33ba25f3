import type { QueueName } from '../../src/queues/jobs.ts';
import { eventually } from './eventually.ts';
import { expectStatus, type Json, operatorOf } from './factories.ts';
import type { Listeners } from './service-environment.ts';

const API = '/queues/api/queues';

/** A job as Bull Board returns it. */
export type BoardJob = {
  id: string;
  name: string;
  data: Json;
  delay?: number;
  failedReason?: string;
  stacktrace: string[];
  returnValue: unknown;
  externalUrl?: { displayText: string; href: string };
};

/** Reads and acts on the queue board as an operator. */
export function queueBoardOf(service: Listeners) {
  const operator = operatorOf(service);
  const jobs = async (queue: QueueName, status: string): Promise<BoardJob[]> => {
    const { queues } = expectStatus(
      await operator.get(`${API}?activeQueue=${queue}&status=${status}&jobsPerPage=1000`),
      200,
    );
    return (queues as { name: string; jobs: BoardJob[] }[]).find(({ name }) => name === queue)?.jobs ?? [];
  };
  return {
    jobs,
    /** Waits for a job that meets the condition. */
    job: (queue: QueueName, status: string, isWanted: (job: BoardJob) => boolean): Promise<BoardJob> =>
      eventually(`a ${status} job of ${queue}`, async () => (await jobs(queue, status)).find(isWanted)),
    logs: async (queue: QueueName, jobId: string): Promise<string[]> =>
      (await operator.get(`${API}/${queue}/${jobId}/logs`)).body as string[],
    retry: async (queue: QueueName, jobId: string): Promise<void> => {
      expectStatus(await operator.send('PUT', `${API}/${queue}/${jobId}/retry`), 204);
    },
  };
}
