import express from 'express';
import { expressWebhook } from 'partner-booking-client/webhooks/express';

const queue = []; // yours: a table, SQS, Redis
const receive = expressWebhook(process.env.SECRET_KEY, (event) => queue.push(event), {
  onRefused: console.warn,
});

const app = express();
app.post('/webhooks', express.raw({ type: 'application/json' }), receive); // before any express.json()
app.listen(process.env.PORT, '127.0.0.1');
