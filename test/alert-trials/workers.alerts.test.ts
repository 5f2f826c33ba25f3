import { tryAll } from './run-trials.ts';
import { WORKER_TRIALS } from './workers.trials.ts';

// So that a hold has lapsed by the time that nobody ends it.
tryAll(WORKER_TRIALS, { HOLD_TTL_SECONDS: '2' });
