import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

type DriverConnection = {
  socket: Socket;
  generation: number;
  writeCommand(command: unknown, options: unknown): Promise<void>;
  /** Called whenever the connection ends, for whatever reason. */
  cleanup(error: Error): void;
};
type DriverServer = { handleError(error: unknown, connection?: DriverConnection): unknown };
type ErrorClass = new (message: string, options?: { cause: Error }) => Error;

const requireHere = createRequire(import.meta.url);
const requireOfMongoose = createRequire(requireHere.resolve('mongoose'));

/**
 * Makes the driver treat every error of its sockets as the network error that it is (ADR 0024). `errors` are the driver's classes.
 * - It throws Node's own error of a write if the server's end of the connection was read just before (`EPIPE`, "This socket
 *   has been ended by the other party"), or a long command is on its way. As a `MongoNetworkError`, the driver repeats what can be
 *   repeated, labels what is in a transaction and looks at the server again; `isDatabaseUnavailable` finds what is left.
 * - It waits for good for a write on a connection that closes between the moment in which it was chosen and that of the write: the
 *   command is encoded in between, and a closed socket takes nothing and never drains. The write fails with its connection.
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
  const { writeCommand, cleanup } = Connection?.prototype ?? {};
  const handleError = Server?.prototype.handleError;
  if (
    Connection === undefined ||
    writeCommand === undefined ||
    cleanup === undefined ||
    Server === undefined ||
    handleError === undefined
  )
    throw new Error('The MongoDB driver handles errors in a way that is not known here: see ADR 0024');
  const { MongoNetworkError, MongoNetworkTimeoutError } = errors;
  /** Rejects the latest write of each connection. A connection has one write at a time; one that has settled stays as it is. */
  const failWrite = new WeakMap<DriverConnection, (error: Error) => void>();
  Connection.prototype.writeCommand = function (this: DriverConnection, command, options) {
    return new Promise((resolve, reject) => {
      failWrite.set(this, reject);
      writeCommand.call(this, command, options).then(resolve, (err: Error) => {
        // Whatever else is thrown, such as a document that cannot be encoded, never reached the socket.
        const isOfSocket = err === this.socket.errored;
        reject(isOfSocket ? new MongoNetworkError(err.message, { cause: err }) : err);
      });
    });
  };
  Connection.prototype.cleanup = function (this: DriverConnection, error) {
    cleanup.call(this, error);
    failWrite.get(this)?.(error);
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
