import { tryAll } from './run-trials.ts';
import { WORKER_TRIALS } from './workers.trials.ts';

tryAll(WORKER_TRIALS);
