import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import express from 'express';
import { presetPrototypes } from '../../src/http/preset-prototypes.ts';

const NODE_20 = '11.3.244.8-node.33';
const NODE_24 = '13.6.233.17-node.28';

/** What a request to a server with the classes of `app` in this V8 gets, which `listener` serves. */
async function ask(app: express.Express, v8Version: string, path: string, listener: RequestListener) {
  const server = createServer(presetPrototypes(app, v8Version), listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}${path}`;
    return await (await fetch(url, { headers: { connection: 'close' } })).text();
  } finally {
    server.close();
  }
}

test.each([
  ['up to Node 23', NODE_20, true],
  ['from Node 24 on', NODE_24, false],
])(
  '%s a request has the prototypes of the app before the app has it: %s, %s',
  async (_node, v8, isPreset) => {
    const app = express();
    const seen: boolean[] = [];
    app.get('/', (req, res) => {
      res.send(`${req.method} ${String(req.app === app && res.app === app)}`);
    });
    const text = await ask(app, v8, '/', (req, res) => {
      seen.push(Object.getPrototypeOf(req) === app.request, Object.getPrototypeOf(res) === app.response);
      app(req, res);
    });
    expect(seen).toEqual([isPreset, isPreset]);
    expect(text).toBe('GET true');
  },
);

test('an app that is mounted in it has its own, and those behind it have them back', async () => {
  const app = express();
  const mounted = express();
  const seen: boolean[] = [];
  mounted.use((req, res, next) => {
    seen.push(req.app === mounted, res.app === mounted);
    next();
  });
  app.use('/mounted', mounted);
  app.use((req, res) => {
    seen.push(Object.getPrototypeOf(req) === app.request, Object.getPrototypeOf(res) === app.response);
    res.send('behind');
  });
  expect(await ask(app, NODE_20, '/mounted/page', app)).toBe('behind');
  expect(seen).toEqual([true, true, true, true]);
});
