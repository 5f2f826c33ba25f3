// app/webhooks/route.js
import { fetchWebhook } from 'partner-booking-client/webhooks/fetch';

const queue = []; // yours: a table, SQS, Redis

export const POST = (request) => fetchWebhook(process.env.SECRET_KEY, (event) => queue.push(event))(request);
