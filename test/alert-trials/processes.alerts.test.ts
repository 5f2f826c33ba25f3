import { PROCESS_TRIALS } from './processes.trials.ts';
import { tryAll } from './run-trials.ts';

// So that a delivery is a dead letter within seconds.
tryAll(PROCESS_TRIALS, { WEBHOOK_RETRY_DELAYS_SECONDS: '1,1,1,1' });
