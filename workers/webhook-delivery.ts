import '../src/process/start-tracing.ts';
import { optionsOrExit } from '../src/process/arguments.ts';
import { runProcess } from '../src/process/lifecycle.ts';
import { startWebhookDelivery } from './support/webhook-delivery.ts';

optionsOrExit({}, 'npm run start:webhook-delivery');
runProcess('webhook-delivery', startWebhookDelivery);
