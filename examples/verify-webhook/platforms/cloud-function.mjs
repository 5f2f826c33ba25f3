import { http } from '@google-cloud/functions-framework';
import { expressWebhook } from 'partner-booking-client/webhooks/express';

const queue = []; // yours: a table, Pub/Sub, Redis

http(
  'webhooks',
  expressWebhook(process.env.SECRET_KEY, (event) => queue.push(event)),
); // expressWebhook uses request.rawBody
