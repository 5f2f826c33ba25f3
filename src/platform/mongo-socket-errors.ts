import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

type DriverConnection = {
  socket: Socket;
  generation: number;
  writeCommand(command: unknown, options: unknown): Promise<void>;
};
type DriverServer = { handleError(error: unknown, connection?: DriverConnection): unknown };
type ErrorClass = new (message: string, options?: { cause: Error }) => Error;

const requireHere = createRequire(import.meta.url);
const requireOfMongoose = createRequire(requireHere.resolve('mongoose'));

/**
 * Makes the driver treat every error of its sockets as the network error that it is (ADR 0020). `errors` are the driver's classes.
 * - It throws Node's own error of a write if the server's end of the connection was read just before (`EPIPE`, "This socket
 *   has been ended by the other party"), or a long command is on its way. As a `MongoNetworkError`, the driver repeats what can be
 *   repeated, labels what is in a transaction and looks at the server again; `isDatabaseUnavailable` finds what is left.
 * - It keeps the other connections of the pool after one has timed out, although a firewall that has forgotten one has forgotten all
 *   that were idle. They are closed, so that the repeated command meets a new connection.
 * @throws Error if the driver is built otherwise than this expects
 */
export function translateSocketErrors(errors: {
  MongoNetworkError: ErrorClass;
  MongoNetworkTimeoutError: ErrorClass;
}): void {
  const { Connection } = requireOfMongoose('mongodb/lib/cmap/connection.js') as {
    Connection?: { prototype: Partial<DriverConnection> };
  };
  const { Server } = requireOfMongoose('mongodb/lib/sdam/server.js') as {
    Server?: { prototype: Partial<DriverServer> };
  };
  const writeCommand = Connection?.prototype.writeCommand;
  const handleError = Server?.prototype.handleError;
  if (
    Connection === undefined ||
    writeCommand === undefined ||
    Server === undefined ||
    handleError === undefined
  )
    throw new Error('The MongoDB driver handles errors in a way that is not known here: see ADR 0020');
  const { MongoNetworkError, MongoNetworkTimeoutError } = errors;
  Connection.prototype.writeCommand = async function (this: DriverConnection, command, options) {
    try {
      await writeCommand.call(this, command, options);
    } catch (err) {
      // Whatever else is thrown, such as a document that cannot be encoded, never reached the socket.
      if (err !== this.socket.errored) throw err;
      throw new MongoNetworkError((err as Error).message, { cause: err as Error });
    }
  };
  Server.prototype.handleError = function (this: DriverServer, error, connection) {
    if (!(error instanceof MongoNetworkTimeoutError) || connection === undefined)
      return handleError.call(this, error, connection);
    const lost = new MongoNetworkError(error.message, { cause: error });
    // By its generation the driver knows whether the pool has been cleared since.
    return handleError.call(
      this,
      Object.assign(lost, { connectionGeneration: connection.generation }),
      connection,
    );
  };
}
