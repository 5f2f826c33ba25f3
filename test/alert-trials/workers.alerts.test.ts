import { tryAll } from './run-trials.ts';
import { WORKER_TRIALS } from './workers.trials.ts';

// A hold has expired by the time the workers are gone.
tryAll(WORKER_TRIALS, { HOLD_TTL_SECONDS: '2' });
