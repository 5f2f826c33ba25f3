import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { madeUpAnswer, withMadeUpVenues } from './made-up-venues.ts';
import { askSandbox, bytesOf, forwardedHeaders, madeAnswer, rewritten, sendAnswer } from './proxied-answers.ts';
import type { Fault, ProxiedCall, Rule } from './proxied-calls.ts';
import { jsonOf, readCall } from './proxied-calls.ts';
import { createRunningWork } from './running-work.ts';
import { reasonOf } from './transports.ts';

/** A proxy between the integration and the sandbox, on this machine only. */
export type Proxy = {
  url: string;
  /** All calls since `forget`, in order. */
  calls: readonly ProxiedCall[];
  /** Adds a rule, which takes precedence over older rules. Returns a function that removes it. */
  arm(rule: Rule): () => void;
  /** Resolves when no call is running, or after 16 s. */
  settled(): Promise<void>;
  /** Removes all calls and armed rules. */
  forget(): void;
  close(): Promise<void>;
};

export type ProxyOptions = {
  /** The sandbox, without a trailing slash. */
  baseUrl: string;
  /** 0: any free port. */
  port: number;
  /** Gets the headers of each response of the sandbox. */
  onAnswer?: (headers: Headers) => void;
  /** Rules for calls that match no armed rule; never removed. */
  standing?: readonly Rule[];
};

/**
 * Starts a proxy that records calls, forwards them to the sandbox, and adds the made-up venues.
 * @throws if the port is taken
 */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const { baseUrl, port, onAnswer = () => undefined, standing = [] } = options;
  const calls: ProxiedCall[] = [];
  const running = createRunningWork();
  let rules: { rule: Rule; left: number }[] = [];

  const faultOf = (call: ProxiedCall): Fault | undefined => {
    const armed = rules.findLast(({ rule, left }) => left > 0 && rule.isFor(call));
    if (armed === undefined) return standing.find((rule) => rule.isFor(call))?.fault;
    armed.left -= 1;
    return armed.rule.fault;
  };

  const forward = async (request: IncomingMessage, call: ProxiedCall, bytes: Uint8Array, isWhole: boolean) => {
    const madeUp = madeUpAnswer(call);
    if (madeUp !== undefined) {
      call.answer = { status: 200, body: madeUp };
      return madeAnswer(call.answer);
    }
    const isListing = call.operation === 'listVenues';
    const url = `${baseUrl}${call.path}${queryOf(call.query)}`;
    const answer = await askSandbox(url, request, bytes, isWhole || isListing).catch((error: unknown) => {
      call.unreached = reasonOf(error);
      throw new Error(`The sandbox was not reached: ${call.unreached}`, { cause: error });
    });
    onAnswer(answer.headers);
    call.answer = { status: answer.status, body: jsonOf(answer.bytes) };
    const forwarded = { ...answer, headers: forwardedHeaders(answer.headers) };
    if (!isListing) return forwarded;
    const extended = rewritten(forwarded, withMadeUpVenues, call);
    call.answer.body = jsonOf(extended.bytes);
    return extended;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const bytes = await bytesOf(request);
    const headerKey = request.headers['idempotency-key'];
    const call = readCall(
      request.method ?? '',
      request.url ?? '/',
      typeof headerKey === 'string' ? headerKey : undefined,
      bytes,
    );
    calls.push(call);
    const fault = faultOf(call);
    call.isFaulted = fault !== undefined;
    if (fault?.kind === 'reset') return void request.socket.resetAndDestroy();
    if (fault?.kind === 'answer' && !fault.reaches) return sendAnswer(response, madeAnswer(fault));
    if (fault?.kind === 'made up') return sendAnswer(response, madeAnswer({ status: 200, body: fault.body(call) }));
    if (fault?.kind === 'query') changeQuery(call.query, fault.query(call.query));
    const answer = await forward(request, call, bytes, fault?.kind === 'rewrite');
    if (fault?.kind === 'lost answer') return void request.socket.destroy();
    if (fault?.kind === 'slow answer') await delay(fault.ms);
    if (fault?.kind === 'answer') return sendAnswer(response, madeAnswer(fault));
    if (fault?.kind === 'rewrite') return sendAnswer(response, rewritten(answer, fault.body, call));
    return sendAnswer(response, answer);
  };

  const server = createServer((request, response) => {
    const handling = handle(request, response).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      if (response.headersSent || request.socket.destroyed) return void request.socket.destroy();
      sendAnswer(response, madeAnswer({ status: 502, body: { error: reason } }));
    });
    void running.add(handling);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    arm: (rule) => {
      const armed = { rule, left: rule.times ?? Number.POSITIVE_INFINITY };
      rules.push(armed);
      return () => {
        rules = rules.filter((each) => each !== armed);
      };
    },
    settled: running.settled,
    forget: () => {
      rules = [];
      calls.splice(0);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function changeQuery(query: URLSearchParams, fields: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(fields))
    if (value === undefined) query.delete(name);
    else query.set(name, value);
}

const queryOf = (query: URLSearchParams): string => (query.size === 0 ? '' : `?${query}`);
