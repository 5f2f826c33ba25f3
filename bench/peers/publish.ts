import { openSocket, requestText } from '../load/http-socket.ts';
import type { OpenStep } from '../load/http-steps.ts';

/** The benchmark's only tenant, and the topic to which its destination subscribes. */
export const TENANT = 'bench';
export const TOPIC = 'hold_created';

/** Publishes events over Outpost's HTTP API. `data`, which Outpost posts unchanged, has `bytes` bytes. */
export function openPublish(
  { port, apiKey, bytes }: { port: number; apiKey: string; bytes: number },
  callers: number,
): OpenStep {
  const sockets = Array.from({ length: callers }, () => openSocket(port));
  const headers = { Authorization: `Bearer ${apiKey}` };
  const eventOf = (call: number) => ({ event_type: TOPIC, timestamp: new Date(), hold_id: `event-${call}` });
  const padding = 'x'.repeat(bytes - JSON.stringify({ ...eventOf(1000), padding: '' }).length);
  return {
    step: async (call, caller) => {
      const body = { tenant_id: TENANT, topic: TOPIC, data: { ...eventOf(call), padding } };
      const response = await sockets[caller]?.send(requestText('POST', '/api/v1/publish', headers, body));
      return String(response?.status);
    },
    close: () => {
      for (const socket of sockets) socket.close();
    },
  };
}
