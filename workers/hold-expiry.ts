import '../src/process/start-tracing.ts';
import { optionsOrExit } from '../src/process/arguments.ts';
import { runProcess } from '../src/process/lifecycle.ts';
import { startHoldExpiry } from './support/hold-expiry.ts';

optionsOrExit({}, 'npm run start:hold-expiry');
runProcess('hold-expiry', startHoldExpiry);
