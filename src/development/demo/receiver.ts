/** The partner's own HTTP server for webhooks: a free loopback port, one path for each subscription. */

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fieldText } from '../embedded/api-caller.ts';
import { refusalOf, type SignedBody } from './verify-signature.ts';

export type Delivery = SignedBody & {
  path: string;
  eventType: string;
  deliveryId: string;
  attempt: number;
  receivedAtMs: number;
  /** Why it was rejected; undefined when the signature is valid. */
  refusal: string | undefined;
  /** A field of the JSON body, in words. */
  read: (name: string) => string;
};

export type Receiver = {
  port: number;
  /** Sets up a path that responds with `status` to what is genuine; the secret may follow, being made by the subscription. */
  endpoint: (path: string, status: number) => { url: string; setSecret: (secretKey: string) => void };
  /** What arrived on a path, in this order. */
  deliveries: (path: string) => readonly Delivery[];
  close: () => Promise<void>;
};

type Endpoint = {
  status: number;
  secretKey: string;
  deliveries: Delivery[];
};

/** Every delivery is verified as it arrives, before anything else is done with it; one that is rejected gets 401. */
export async function startReceiver(): Promise<Receiver> {
  const endpoints = new Map<string, Endpoint>();
  const server = createServer((request, response) => {
    void receive(request).then((status) => response.writeHead(status).end());
  });

  const receive = async (request: IncomingMessage): Promise<number> => {
    const path = request.url ?? '';
    const endpoint = endpoints.get(path);
    if (endpoint === undefined) return 404;
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const delivery = asDelivery(path, request, Buffer.concat(chunks), endpoint.secretKey);
    endpoint.deliveries.push(delivery);
    return delivery.refusal === undefined ? endpoint.status : 401;
  };

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    endpoint: (path, status) => {
      const endpoint: Endpoint = { status, secretKey: '', deliveries: [] };
      endpoints.set(path, endpoint);
      return {
        url: `http://127.0.0.1:${port}${path}`,
        setSecret: (secretKey) => {
          endpoint.secretKey = secretKey;
        },
      };
    },
    deliveries: (path) => endpoints.get(path)?.deliveries ?? [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function asDelivery(path: string, request: IncomingMessage, body: Buffer, secretKey: string): Delivery {
  const receivedAtMs = Date.now();
  const header = (name: string): string => String(request.headers[name] ?? '');
  const signed = {
    timestamp: header('x-service-timestamp'),
    signature: header('x-service-signature'),
    body,
  };
  const event = parse(body);
  return {
    ...signed,
    path,
    eventType: header('x-webhook-event'),
    deliveryId: header('x-delivery-id'),
    attempt: Number(header('x-delivery-attempt')),
    receivedAtMs,
    refusal: refusalOf(signed, secretKey, receivedAtMs / 1000),
    read: (name) => fieldText(event, name),
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
