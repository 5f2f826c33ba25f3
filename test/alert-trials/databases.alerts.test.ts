import { DATABASE_TRIALS } from './databases.trials.ts';
import { tryAll } from './run-trials.ts';

tryAll(DATABASE_TRIALS);
