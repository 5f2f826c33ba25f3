import { PROCESS_TRIALS } from './processes.trials.ts';
import { tryAll } from './run-trials.ts';

// A delivery becomes a dead letter within seconds.
tryAll(PROCESS_TRIALS, { WEBHOOK_RETRY_DELAYS_SECONDS: '1,1,1,1' });
