import type { RequestHandler } from 'express';
import type { Deprecation } from './route.ts';

/** Says on every response of an endpoint, rejections included, that it is deprecated (RFC 9745) and when it ends (RFC 8594). */
export function announceDeprecation({ since, sunset, guide }: Deprecation): RequestHandler {
  const headers = {
    Deprecation: `@${Date.parse(since) / 1000}`,
    Link: `<${guide}>; rel="deprecation"; type="text/html"`,
    ...(sunset === undefined ? {} : { Sunset: new Date(sunset).toUTCString() }),
  };
  return (_req, res, next) => {
    res.set(headers);
    next();
  };
}
