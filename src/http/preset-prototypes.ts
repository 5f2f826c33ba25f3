import type { ServerOptions } from 'node:http';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** That of Node 24, which changes prototypes at little cost, and is slower with classes that are not its own (docs/evidence/http-overhead.md). */
const CHANGES_CHEAPLY_FROM_V8 = 13;

/**
 * Classes by which a server makes requests and responses with the prototypes of `app`. Express sets those on each anyway, and up to
 * Node 23 an object whose prototype has changed is slow from then on. None where the V8 of this version is faster without.
 */
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

/** `Base` is one of Node's own constructors, which are plain functions; a class could not be given another prototype. */
function withPrototype<Base>(Base: Base, prototype: object): Base {
  function Preset(this: object, ...given: unknown[]) {
    Reflect.apply(Base as () => void, this, given);
  }
  Preset.prototype = prototype;
  return Preset as unknown as Base;
}
