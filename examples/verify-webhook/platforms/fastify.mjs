import Fastify from 'fastify';
import { fastifyWebhook } from 'partner-booking-client/webhooks/fastify';

const queue = []; // yours: a table, SQS, Redis

const app = Fastify();
await app.register(fastifyWebhook('/webhooks', process.env.SECRET_KEY, (event) => queue.push(event)));
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
