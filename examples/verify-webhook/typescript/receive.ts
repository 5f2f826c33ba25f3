// An endpoint for your first webhook: SECRET_KEY=whsec_… PORT=4000 node --import tsx receive.ts

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { verifyWebhook, WebhookRefused } from './verify-webhook.ts';

const { SECRET_KEY = '', PORT = '4000' } = process.env;

createServer((request, response) => void receive(request, response)).listen(Number(PORT), '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${PORT}/webhooks`),
);

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = request.headersDistinct;
  try {
    const body = await rawBody(request);
    const delivery = {
      body,
      timestamp: headers['x-service-timestamp']?.[0],
      signature: headers['x-service-signature']?.[0],
      previousSignature: headers['x-service-signature-previous']?.[0],
    };
    verifyWebhook(delivery, SECRET_KEY);
    // A real endpoint does no more here than to put the body on a queue of its own, and works on it afterwards.
    const event = JSON.parse(body.toString()) as { event_type: string; slot_id: string };
    console.log(`verified: ${event.event_type} ${event.slot_id}`);
    response.writeHead(204).end();
  } catch (error) {
    console.log(`refused: ${error instanceof Error ? error.message : 'unreadable'}`);
    response.writeHead(error instanceof WebhookRefused ? 401 : 400).end();
  }
}

/** The bytes as they came. Where a body parser stands in front of your handler, it must be told to keep them. */
async function rawBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
