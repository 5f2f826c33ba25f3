import type { OnEvent, ReceiveOptions } from './receive.ts';
import { rawBodyOf, receiveWebhook } from './receive.ts';
import type { WebhookHeaders } from './verify.ts';

type Request = { headers: Exclude<WebhookHeaders, { get: unknown }>; body: unknown };
type Reply = { code(status: number): { send(body?: unknown): unknown } };
type Done = (error: Error | null, body?: unknown) => void;
type Instance = {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer' },
    parser: (request: never, body: Uint8Array, done: Done) => void,
  ): unknown;
  post(path: string, handler: (request: Request, reply: Reply) => Promise<unknown>): unknown;
};

/**
 * A Fastify plugin to `register`. It leaves the bodies of its own route unparsed. POST to `path` responds 204 after
 * `onEvent`, 401 or 400 with the reason if the delivery is not genuine, and 500 if `onEvent` fails.
 */
export function fastifyWebhook(
  path: string,
  secret: string,
  onEvent: OnEvent,
  options?: ReceiveOptions,
): (instance: Instance) => Promise<void> {
  return async (instance) => {
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    instance.post(path, async ({ headers, body }, reply) => {
      const received = await receiveWebhook(rawBodyOf({ headers, body }), headers, secret, onEvent, options);
      return reply.code(received.status).send(received.status === 204 ? undefined : received.body);
    });
  };
}
