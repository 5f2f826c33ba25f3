import type { Express } from 'express';
import Joi from 'joi';
import { parseUrl } from '../platform/parse-url.ts';
import type { OpenApiDocument } from './openapi/document.ts';
import { rejectWrites } from './reject-method.ts';
import type { Operation } from './route.ts';

/** Where both listeners serve the description of themselves. */
const DESCRIPTION_PATH = '/openapi.json';

/** How `mountApiDescription` describes itself; public unless the listener asks everyone for a key first. */
export const describesItself = (isPublic: boolean): Operation => ({
  method: 'get',
  path: DESCRIPTION_PATH,
  operationId: 'getDescription',
  tag: 'Service',
  summary: 'Read this description',
  responses: {
    200: {
      description: 'An OpenAPI 3.1 document.',
      body: Joi.object({ openapi: Joi.string().required().example('3.1.0') }).unknown(),
    },
  },
  errors: [],
  ...(isPublic ? { isPublic: true } : {}),
});

/** Serves the OpenAPI document of a listener, which is made when it is first asked for: that takes a fifth of a second. */
export function mountApiDescription(app: Express, describe: () => OpenApiDocument): void {
  let document: OpenApiDocument | undefined;
  const described = app.route(DESCRIPTION_PATH);
  described.get((req, res) => {
    document ??= describe();
    // Generated clients call the server that it names, and many of them take no path for one.
    const { origin } = parseUrl(`${req.protocol}://${req.host}`) ?? { origin: '/' };
    const servers = document.servers.map((server) => ({ ...server, url: origin }));
    // To be asked for again each time, so that nobody reads the description of a version that is gone.
    res
      .set('Cache-Control', 'no-cache')
      .type('json')
      .send(JSON.stringify({ ...document, servers }));
  });
  described.all(rejectWrites);
}
