/** The limits of reads: constant responses through the product's middleware and logger, and from bare `node:http`. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createBaseApp } from '../../src/http/base-app.ts';
import { listen } from '../../src/http/listen.ts';
import { createLogger } from '../../src/platform/logger.ts';
import type { Constant } from './constant.ts';

process.once('message', ({ body, etag, logFile }: Constant) => {
  const app = createBaseApp(createLogger('constant', 'info', pino.destination({ dest: logFile, sync: true })));
  const bytes = Buffer.from(body);
  app.get('/constant', (_req, res) => {
    res.setHeader('Cache-Control', 'private, no-cache');
    res.setHeader('ETag', etag);
    res.setHeader('Content-Type', 'application/json; charset=utf-8');
    res.setHeader('Content-Length', bytes.length);
    res.end(bytes);
  });
  app.get('/ok', (_req, res) => {
    res.setHeader('Content-Length', 2);
    res.end('ok');
  });
  const bare = createServer((_req, res) => {
    res.setHeader('Content-Length', 2);
    res.end('ok');
  });
  const tellPorts = async () => {
    const { url } = await listen(app, '127.0.0.1', 0);
    process.send?.({ port: Number(new URL(url).port), barePort: (bare.address() as AddressInfo).port });
  };
  bare.listen(0, '127.0.0.1', () => void tellPorts());
});
process.once('disconnect', () => process.exit());
