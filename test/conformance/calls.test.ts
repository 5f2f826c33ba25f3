import { ROWS_OF } from './rows.ts';
import { testRows } from './rows-suite.ts';

await testRows(ROWS_OF.calls, { hasWorkers: false });
