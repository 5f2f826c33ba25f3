import '../src/process/start-tracing.ts';
import { runProcess } from '../src/process/lifecycle.ts';
import { startWebhookDelivery } from './support/webhook-delivery.ts';

runProcess('webhook-delivery', startWebhookDelivery);
