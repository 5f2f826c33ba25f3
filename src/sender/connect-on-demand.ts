import type { buildConnector } from 'undici';

/** A `connect` that opens a connection only while somebody waits for one, and the way to wait. */
export type ConnectOnDemand = {
  connect: buildConnector.connector;
  /** Allows connections to an origin until the result is called: when the request has its connection or was given up. */
  waitFor(origin: string): () => void;
};

/**
 * Keeps undici from connecting for nothing: for a request that was aborted while it was running, version 7 opens
 * another connection to the same origin and only then finds that there is nothing left to send. Every delivery that is
 * cut would cost the receiver a second connection. Such an attempt fails here, and no request is affected by it.
 */
export function createConnectOnDemand(connect: buildConnector.connector): ConnectOnDemand {
  const waiting = new Map<string, number>();

  function release(origin: string): void {
    const left = (waiting.get(origin) ?? 0) - 1;
    if (left > 0) waiting.set(origin, left);
    else waiting.delete(origin);
  }

  return {
    connect(options, callback) {
      if (waiting.has(`${options.protocol}//${options.host}`)) connect(options, callback);
      else queueMicrotask(() => callback(new Error('No request waits for this connection.'), null));
    },
    waitFor(origin) {
      waiting.set(origin, (waiting.get(origin) ?? 0) + 1);
      let isWaiting = true;
      return () => {
        if (isWaiting) release(origin);
        isWaiting = false;
      };
    },
  };
}
