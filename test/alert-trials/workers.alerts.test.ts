import { tryAll } from './run-trials.ts';
import { WORKER_TRIALS } from './workers.trials.ts';

// A short TTL, so that holds expire while a worker is down.
tryAll(WORKER_TRIALS, { HOLD_TTL_SECONDS: '2' });
