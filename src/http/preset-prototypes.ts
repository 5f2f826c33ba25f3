import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** V8 of Node 24 changes prototypes cheaply, and is slower with foreign classes (ADR 0035). */
const CHANGES_CHEAPLY_FROM_V8 = 13;

/** Classes that have the prototypes of `app` from the start: Express changes them, which is slow up to Node 23. */
export function presetPrototypes(
  app: Express,
  v8Version: string,
): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  if (Number.parseInt(v8Version, 10) >= CHANGES_CHEAPLY_FROM_V8) return {};
  return {
    IncomingMessage: withPrototype(IncomingMessage, app.request),
    ServerResponse: withPrototype(ServerResponse, app.response),
  };
}

/** `Base` is one of Node's constructors, which are plain functions; the prototype of a class could not be replaced. */
function withPrototype<Base>(Base: Base, prototype: object): Base {
  function Preset(this: object, ...given: unknown[]) {
    Reflect.apply(Base as () => void, this, given);
  }
  Preset.prototype = prototype;
  return Preset as unknown as Base;
}
