import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { fetchWebhook } from 'partner-booking-client/webhooks/fetch';

const queue = []; // yours: a table, SQS, Redis
const receive = fetchWebhook(process.env.SECRET_KEY, (event) => queue.push(event));

const app = new Hono();
app.post('/webhooks', (context) => receive(context.req.raw));
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' });
