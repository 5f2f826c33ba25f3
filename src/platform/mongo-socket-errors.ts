import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

type DriverConnection = {
  socket: Socket;
  generation: number;
  writeCommand(command: unknown, options: unknown): Promise<void>;
  /** Called whenever the connection ends. */
  cleanup(error: Error): void;
};
type DriverServer = { handleError(error: unknown, connection?: DriverConnection): unknown };
type ErrorClass = new (message: string, options?: { cause: Error }) => Error;

const requireHere = createRequire(import.meta.url);
const requireOfMongoose = createRequire(requireHere.resolve('mongoose'));

/**
 * Makes the driver treat, retry and label every socket error as a network error (ADR 0024). By itself the driver
 * - throws Node's own `EPIPE` error if the server closed the connection just before a write;
 * - waits for ever for a write if the connection closes after the driver has chosen it and before the write;
 * - keeps the other connections of the pool after one timed out, although a firewall forgets all idle ones together.
 * @throws Error if the driver is built differently than expected
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
    throw new Error('The MongoDB driver is built differently than expected: see ADR 0024');
  const { MongoNetworkError, MongoNetworkTimeoutError } = errors;
  /** Rejects the latest write of each connection, which has one write at a time. */
  const failWrite = new WeakMap<DriverConnection, (error: Error) => void>();
  Connection.prototype.writeCommand = function (this: DriverConnection, command, options) {
    return new Promise((resolve, reject) => {
      failWrite.set(this, reject);
      writeCommand.call(this, command, options).then(resolve, (err: Error) => {
        // Other errors, such as a failed encoding, never reached the socket.
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
    // The driver compares generations to see whether the pool was cleared after this connection was made.
    return handleError.call(this, Object.assign(lost, { connectionGeneration: connection.generation }), connection);
  };
}
