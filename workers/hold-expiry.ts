import '../src/process/start-tracing.ts';
import { runProcess } from '../src/process/lifecycle.ts';
import { startHoldExpiry } from './support/hold-expiry.ts';

runProcess('hold-expiry', startHoldExpiry);
