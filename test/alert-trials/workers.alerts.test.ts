import { tryAll } from './run-trials.ts';
import { WORKER_TRIALS } from './workers.trials.ts';

// A hold expires before the workers are gone.
tryAll(WORKER_TRIALS, { HOLD_TTL_SECONDS: '2' });
