import '../src/process/start-tracing.ts';
import { optionsOrExit } from '../src/process/arguments.ts';
import { runProcess } from '../src/process/lifecycle.ts';
import { startEventDispatch } from './support/event-dispatch.ts';

optionsOrExit({}, 'npm run start:event-dispatch');
runProcess('event-dispatch', startEventDispatch);
