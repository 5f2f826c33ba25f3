import type { Express } from 'express';
import { mountApiReference } from '../../src/http/api-reference.ts';
import { createBaseApp } from '../../src/http/base-app.ts';
import { errorHandler } from '../../src/http/error-handler.ts';
import type { Listener } from '../../src/http/listen.ts';
import { listen } from '../../src/http/listen.ts';
import { notFound } from '../../src/http/mount-routes.ts';
import { mountSignIn } from '../../src/operator/sign-in.ts';
import { DomainError } from '../../src/platform/errors.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { OPERATOR_KEY } from './service.ts';

const CLOCK = { now: () => new Date() };

const ERROR = {
  description: 'Refused.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

/** A small OpenAPI 3.1 document with what a large one has: parameters, bodies, references, unions, two tags. */
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Sample API', version: '1.0.0', description: 'Holds and **venues**, as a sample.' },
  servers: [{ url: '/' }],
  security: [{ apiKey: [] }],
  tags: [{ name: 'Venues', description: 'Where slots are' }, { name: 'Holds' }],
  paths: {
    '/api/v1/partner/venues': {
      get: {
        operationId: 'listVenues',
        tags: ['Venues'],
        summary: 'Venues granted to the partner',
        responses: {
          200: {
            description: 'All of them.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Venues' } } },
          },
          401: ERROR,
        },
      },
    },
    '/api/v1/partner/venues/{venueId}': {
      get: {
        operationId: 'getVenue',
        tags: ['Venues'],
        summary: 'One venue',
        parameters: [
          { name: 'venueId', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
          { name: 'fields', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
        ],
        responses: { 200: { description: 'It.' }, 404: ERROR },
      },
    },
    '/api/v1/partner/holds': {
      post: {
        operationId: 'placeHold',
        tags: ['Holds'],
        summary: 'Hold a slot',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/NewHold' } } },
        },
        responses: { 201: { description: 'Held.' }, 409: ERROR },
      },
    },
    '/api/v1/partner/holds/{holdId}': {
      delete: {
        operationId: 'dropHold',
        tags: ['Holds'],
        summary: 'Give a hold back',
        parameters: [{ name: 'holdId', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 204: { description: 'Given back.' } },
      },
    },
  },
  components: {
    securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
    schemas: {
      Venue: {
        type: 'object',
        required: ['venue_id', 'name'],
        properties: {
          venue_id: { type: 'string', format: 'uuid' },
          name: { type: 'string', examples: ['Koramangala Sports Arena'] },
          closed_at: { type: ['string', 'null'], format: 'date-time' },
        },
      },
      Venues: {
        type: 'object',
        properties: {
          success: { const: true },
          count: { type: 'integer', minimum: 0 },
          data: { type: 'array', items: { $ref: '#/components/schemas/Venue' } },
        },
      },
      NewHold: {
        oneOf: [
          { type: 'object', required: ['slot_id'], properties: { slot_id: { type: 'string' } } },
          { type: 'object', required: ['venue_id'], properties: { venue_id: { type: 'string' } } },
        ],
        examples: [{ slot_id: 'turf-a_20261121T0430Z' }],
      },
      Error: {
        type: 'object',
        properties: {
          success: { const: false },
          error: { type: 'object', properties: { code: { type: 'string', enum: ['INVALID_API_KEY'] } } },
        },
      },
    },
  },
};

/** An API with the document above, open to `apiKey` or, behind the operator's sign-in, to a signed-in browser too. */
export function startSampleApi({ apiKey, hasSignIn }: SampleOptions): Promise<Listener> {
  const app = createBaseApp(createLogger('api', 'silent', { write: () => undefined }));
  if (hasSignIn) mountSignIn(app, { clock: CLOCK, config: { operatorApiKey: OPERATOR_KEY } });
  app.get('/openapi.json', (_req, res) => {
    res.json(DOCUMENT);
  });
  mountApiReference(app, { title: 'Sample API reference' });
  mountSample(app, hasSignIn ? undefined : apiKey);
  app.use(notFound);
  app.use(errorHandler);
  return listen(app, '127.0.0.1', 0);
}

type SampleOptions = { apiKey: string; hasSignIn: boolean };

function mountSample(app: Express, apiKey: string | undefined): void {
  app.use('/api', (req, _res, next) => {
    if (apiKey === undefined || req.get('x-api-key') === apiKey) next();
    else throw new DomainError('INVALID_API_KEY', 'The x-api-key header has no key that is known here.');
  });
  app.get('/api/v1/partner/venues', (req, res) => {
    res.json({ success: true, count: 0, data: [], received_key: req.get('x-api-key') ?? null });
  });
  app.post('/api/v1/partner/holds', (_req, res) => {
    res.status(201).json({ status: 'ACTIVE' });
  });
}

/** A page under the same policy that does all that a page must not do, and then sets `isThrough`. */
export function startFaultyPage(): Promise<Listener> {
  const app = createBaseApp(createLogger('api', 'silent', { write: () => undefined }));
  app.get('/', (_req, res) => {
    res.type('html').send(`<!doctype html><link rel="icon" href="data:,">
<link rel="stylesheet" href="https://cdn.example/style.css"><script>window.isInline = true</script><script src="/a.js"></script>`);
  });
  app.get('/a.js', (_req, res) => {
    res.type('js').send(`setTimeout(() => { throw new Error('thrown in the page') });
Promise.allSettled([fetch('http://127.0.0.1:9/'), fetch('/nothing')]).then(() => { window.isThrough = true });`);
  });
  app.use(notFound);
  app.use(errorHandler);
  return listen(app, '127.0.0.1', 0);
}
