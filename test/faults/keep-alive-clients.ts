import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../src/platform/ids.ts';
import { integerBetween, type Random } from '../support/random.ts';
import { brokenBy } from './insist.ts';

const MAX_PAUSE_MS = 400;
const RECONNECT_AFTER_MS = 50;

/**
 * Starts clients that call again and again, with pauses of 0 to 400 ms. Each keeps one connection alive. Every second
 * client posts, without an idempotency key. No client repeats a failed call.
 */
export function startKeepAliveClients(url: string, apiKey: string, clients: number, random: Random) {
  const counts = {
    answered: 0,
    /** Responses that told the client to close the connection. */
    toldToClose: 0,
    /** The connection was refused: nothing was sent. */
    refused: 0,
    /** The connection broke after something was sent. */
    reset: 0,
    /** Responses of 500 and above. */
    failed: 0,
  };
  const stopping = new AbortController();
  const call = (agent: Agent, isPost: boolean) =>
    new Promise<number>((resolve, reject) => {
      const path = isPost ? `/api/v1/partner/holds/${newId()}/cancel` : '/api/v1/partner/venues';
      const headers = { 'x-api-key': apiKey, ...(isPost ? { 'content-length': '0' } : {}) };
      request(url + path, { agent, headers, method: isPost ? 'POST' : 'GET' }, (answer) => {
        if (answer.headers.connection === 'close') counts.toldToClose += 1;
        answer.resume().once('error', reject);
        answer.once('end', () => resolve(answer.statusCode ?? 0));
      })
        .once('error', reject)
        .end();
    });
  const keepCalling = async (isPost: boolean) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!stopping.signal.aborted) {
      const outcome = await call(agent, isPost).then((status) => (status < 500 ? 'answered' : 'failed'), brokenBy);
      counts[outcome] += 1;
      await delay(outcome === 'refused' ? RECONNECT_AFTER_MS : integerBetween(random, 0, MAX_PAUSE_MS));
    }
    agent.destroy();
  };
  const running = Array.from({ length: clients }, (_, index) => keepCalling(index % 2 === 0));
  return {
    counts,
    stop: async () => {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
