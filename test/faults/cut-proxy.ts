import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import mongoose from 'mongoose';

/** The commands that a fault strikes: by name, and by collection if given. The first `skip` of them pass. */
export type Target = { command: string; collection?: string; skip?: number };

/**
 * `request lost`: the connection is cut before the server gets the command. `reply lost`: it is cut after the command
 * was executed. `request late`: it is cut, and the command is kept for `deliverLate`.
 */
export type Cut = 'request lost' | 'reply lost' | 'request late';

/** A proxy between a driver and a mongod. Loses messages on demand, also replies, which a fail point cannot lose. */
export async function startCutProxy(mongodPort: number) {
  let armed: { target: Target; cut: Cut; toSkip: number; left: number; struck: number } | undefined;
  const open = new Set<Socket>();
  const late: (() => Promise<unknown>)[] = [];

  const cutOf = (message: Buffer): Cut | undefined => {
    if (armed === undefined || armed.left === 0 || !isTarget(message, armed.target)) return undefined;
    if (armed.toSkip > 0) {
      armed.toSkip -= 1;
      return undefined;
    }
    armed.left -= 1;
    armed.struck += 1;
    return armed.cut;
  };

  const server = createServer((client) => {
    const upstream = connect(mongodPort, '127.0.0.1');
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.setNoDelay(true).on('error', end);
      socket.on('close', () => {
        open.delete(socket);
        end();
      });
    }
    /** Ids of the requests whose replies must not arrive. */
    const unanswered = new Set<number>();
    client.on(
      'data',
      inMessages((message) => {
        const cut = cutOf(message);
        if (cut === 'request lost') return end();
        if (cut === 'request late') {
          late.push(() => {
            upstream.write(message);
            return once(upstream, 'data');
          });
          upstream.removeAllListeners('data').resume();
          client.removeAllListeners('close').destroy();
          return;
        }
        if (cut === 'reply lost') unanswered.add(message.readInt32LE(4));
        upstream.write(message);
      }),
    );
    upstream.on(
      'data',
      inMessages((message) => {
        if (unanswered.has(message.readInt32LE(8))) end();
        else client.write(message);
      }),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** Strikes the next `times` matching commands. The returned function ends this; it returns the number struck. */
    strike: (target: Target, cut: Cut, times: number) => {
      const own = { target, cut, toSkip: target.skip ?? 0, left: times, struck: 0 };
      armed = own;
      return () => {
        if (armed === own) armed = undefined;
        return own.struck;
      };
    },
    /** Sends the kept commands to the server; resolves when it has replied to each. */
    deliverLate: async () => {
      for (const deliver of late.splice(0)) await deliver();
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** Joins chunks to whole messages; each begins with its length. */
function inMessages(onMessage: (message: Buffer) => void): (chunk: Buffer) => void {
  let pending = Buffer.alloc(0);
  return (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 4 && pending.length >= pending.readInt32LE(0)) {
      const length = pending.readInt32LE(0);
      const message = pending.subarray(0, length);
      pending = pending.subarray(length);
      onMessage(message);
    }
  };
}

/** An OP_MSG: 16 bytes of header, 4 of flags, 1 for `body`, and a document with the command as first field. */
const OP_MSG = 2013;
const BODY_AT = 21;

function isTarget(message: Buffer, { command, collection }: Target): boolean {
  if (message.readInt32LE(12) !== OP_MSG) return false;
  const body = message.subarray(BODY_AT, BODY_AT + message.readInt32LE(BODY_AT));
  const [first] = Object.entries(mongoose.mongo.BSON.deserialize(body));
  return first?.[0] === command && (collection === undefined || first[1] === collection);
}
