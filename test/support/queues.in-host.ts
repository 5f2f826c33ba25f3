import type { QueueName } from '../../src/queues/jobs.ts';
import type { Service } from './service.ts';

type Context = Service['context'];

export const pauseQueue = ({ queues }: Context, name: QueueName): Promise<void> => queues.byName(name).pause();

export const resumeQueue = ({ queues }: Context, name: QueueName): Promise<void> => queues.byName(name).resume();
