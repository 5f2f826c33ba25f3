import { PROCESS_TRIALS } from './processes.trials.ts';
import { tryAll } from './run-trials.ts';

// Short delays, so that deliveries become dead letters within seconds.
tryAll(PROCESS_TRIALS, { WEBHOOK_RETRY_DELAYS_SECONDS: '1,1,1,1' });
