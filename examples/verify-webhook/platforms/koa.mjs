import { buffer } from 'node:stream/consumers';
import Koa from 'koa';
import { receiveWebhook } from 'partner-booking-client/webhooks/receive';

const queue = []; // yours: a table, SQS, Redis

const app = new Koa();
app.use(async (context) => {
  const rawBody = await buffer(context.req); // before any koa-bodyparser
  const take = (event) => queue.push(event);
  const received = await receiveWebhook(rawBody, context.headers, process.env.SECRET_KEY, take);
  context.body = received.body ?? null;
  context.status = received.status;
});
app.listen(process.env.PORT, '127.0.0.1');
