import { PROCESS_TRIALS } from './processes.trials.ts';
import { tryAll } from './run-trials.ts';

// Deliveries become dead letters within seconds.
tryAll(PROCESS_TRIALS, { WEBHOOK_RETRY_DELAYS_SECONDS: '1,1,1,1' });
