import '../src/process/start-tracing.ts';
import { runProcess } from '../src/process/lifecycle.ts';
import { startEventDispatch } from './support/event-dispatch.ts';

runProcess('event-dispatch', startEventDispatch);
