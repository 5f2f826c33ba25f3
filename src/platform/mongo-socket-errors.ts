import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

type DriverConnection = {
  socket: Socket;
  writeCommand(command: unknown, options: unknown): Promise<void>;
};
type NetworkErrorClass = new (message: string, options: { cause: Error }) => Error;

const requireHere = createRequire(import.meta.url);
const requireOfMongoose = createRequire(requireHere.resolve('mongoose'));

/**
 * Makes the driver treat every error of its sockets as the network error that it is. It does so for reads; of a write it throws
 * Node's own error where the server's end of the connection was read just before (`EPIPE`, "This socket has been ended by the
 * other party") or a long command is on its way (ADR 0020). As `NetworkError`, the driver's class, the driver repeats what can be
 * repeated, labels what is in a transaction and forgets the server; what is left is found by `isDatabaseUnavailable`.
 * @throws Error where the driver is built otherwise than this expects
 */
export function translateSocketErrors(NetworkError: NetworkErrorClass): void {
  const { Connection } = requireOfMongoose('mongodb/lib/cmap/connection.js') as {
    Connection?: { prototype: Partial<DriverConnection> };
  };
  const writeCommand = Connection?.prototype.writeCommand;
  if (Connection === undefined || writeCommand === undefined)
    throw new Error('The MongoDB driver writes commands in a way that is not known here: see ADR 0020');
  Connection.prototype.writeCommand = async function (this: DriverConnection, command, options) {
    try {
      await writeCommand.call(this, command, options);
    } catch (err) {
      // Whatever else is thrown, a document that cannot be encoded for one, never reached the socket.
      if (err !== this.socket.errored) throw err;
      throw new NetworkError((err as Error).message, { cause: err as Error });
    }
  };
}
