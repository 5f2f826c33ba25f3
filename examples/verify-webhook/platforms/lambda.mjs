import { receiveWebhook } from 'partner-booking-client/webhooks/receive';

const queue = []; // yours: a table, SQS, Redis

export async function handler({ body, isBase64Encoded, headers, multiValueHeaders }) {
  const rawBody = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
  const take = (event) => queue.push(event);
  const received = await receiveWebhook(rawBody, multiValueHeaders ?? headers, process.env.SECRET_KEY, take);
  return { statusCode: received.status, body: JSON.stringify(received.body ?? '') };
}
