import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, jest } from '@jest/globals';
import { signDelivery } from '../../src/webhooks/sender/signature.rules.ts';
import { projectFolder } from '../architecture/planted-tree.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { freePort } from '../support/own-servers.ts';
import { python as interpreter, nodeModules, run, type Server, startServer, testWith } from './tools.ts';

jest.setTimeout(600_000);

const SNIPPETS = path.join(projectFolder, 'examples/verify-webhook/platforms');
const SECRET_KEY = 'whsec_of-these-tests';

let client: string;
beforeAll(async () => {
  const folder = await temporaryFolder();
  const cwd = path.join(projectFolder, 'packages/client');
  await run('npm', ['run', 'build'], { cwd });
  await run('npm', ['pack', '--pack-destination', folder], { cwd });
  client = path.join(folder, 'partner-booking-client-1.0.0.tgz');
});

type Command = { program: string; args: string[] };
/** Prepares an empty folder to run the snippet; returns the command. */
type Prepare = (folder: string, port: number) => Promise<Command>;

const node =
  (snippet: string, packages: string[], args: (port: number) => string[] = () => [snippet]): Prepare =>
  async (folder, port) => {
    await cp(path.join(SNIPPETS, snippet), path.join(folder, snippet));
    await mkdir(path.join(folder, 'node_modules'));
    if (packages.length > 0)
      await run('cp', ['-rs', `${await nodeModules(packages)}/.`, path.join(folder, 'node_modules')]);
    await mkdir(path.join(folder, 'node_modules/partner-booking-client'));
    await run('tar', ['xzf', client, '--strip-components=1', '-C', 'node_modules/partner-booking-client'], {
      cwd: folder,
    });
    return { program: process.execPath, args: args(port) };
  };

/** Acts as API Gateway: makes an event of each request, with its body in base64. */
const LAMBDA_HOST = `
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { handler } from './lambda.mjs';

createServer(async (request, response) => {
  // The gateway passes an empty body as null.
  const body = (await buffer(request)).toString('base64') || null;
  const { statusCode, body: text } = await handler({ body, isBase64Encoded: true, multiValueHeaders: request.headersDistinct });
  response.writeHead(statusCode).end(text);
}).listen(process.env.PORT, '127.0.0.1');
`;

const python =
  (snippet: string, packages: Record<string, string>, args: (port: number) => string[]): Prepare =>
  async (folder, port) => {
    await cp(path.join(SNIPPETS, snippet), path.join(folder, snippet));
    await cp(
      path.join(projectFolder, 'examples/verify-webhook/python/verify_webhook.py'),
      path.join(folder, 'verify_webhook.py'),
    );
    return { program: await interpreter(packages), args: args(port) };
  };

const DJANGO_HOST = `
import os
from wsgiref.simple_server import make_server
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import path

settings.configure(ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__, SECRET_KEY="of this host alone")
import django_views
urlpatterns = [path("webhooks", django_views.webhooks)]
make_server("127.0.0.1", int(os.environ["PORT"]), get_wsgi_application()).serve_forever()
`;

const ROWS: [platform: string, needs: Record<string, string>, prepare: Prepare][] = [
  ['Express', {}, node('express.mjs', ['express@5'])],
  ['Fastify', {}, node('fastify.mjs', ['fastify@5'])],
  ['Koa', {}, node('koa.mjs', ['koa@3'])],
  ['Hono', {}, node('hono.mjs', ['hono@4', '@hono/node-server@1'])],
  [
    'Next.js',
    {},
    async (folder, port) => {
      const packages = ['next@16', 'react@19', 'react-dom@19'];
      await node('next-route.mjs', packages)(folder, port);
      await mkdir(path.join(folder, 'app/webhooks'), { recursive: true });
      await cp(path.join(SNIPPETS, 'next-route.mjs'), path.join(folder, 'app/webhooks/route.js'));
      await writeFile(path.join(folder, 'package.json'), '{"private":true,"type":"module"}');
      const serve = 'node_modules/next/dist/bin/next dev --webpack -H 127.0.0.1 -p';
      const args = [...serve.split(' '), String(port)];
      return { program: process.execPath, args };
    },
  ],
  [
    'AWS Lambda',
    {},
    async (folder, port) => {
      await writeFile(path.join(folder, 'host.mjs'), LAMBDA_HOST);
      return node('lambda.mjs', [], () => ['host.mjs'])(folder, port);
    },
  ],
  [
    'Google Cloud Functions',
    {},
    async (folder, port) => {
      const main = { private: true, type: 'module', main: 'cloud-function.mjs' };
      await writeFile(path.join(folder, 'package.json'), JSON.stringify(main));
      const framework = 'node_modules/@google-cloud/functions-framework/build/src/main.js';
      return node('cloud-function.mjs', ['@google-cloud/functions-framework@4'], () => [
        framework,
        '--target=webhooks',
      ])(folder, port);
    },
  ],
  [
    'Flask',
    { python3: '--version' },
    python('flask_app.py', { flask: '3.1.3' }, (port) => [
      ...'-m flask --app flask_app run --port'.split(' '),
      String(port),
    ]),
  ],
  [
    'Django',
    { python3: '--version' },
    async (folder, port) => {
      await writeFile(path.join(folder, 'host.py'), DJANGO_HOST);
      return python('django_views.py', { django: '5.2.19' }, () => ['host.py'])(folder, port);
    },
  ],
  [
    'FastAPI',
    { python3: '--version' },
    python('fastapi_app.py', { fastapi: '0.165.0', uvicorn: '0.54.0' }, (port) => [
      ...'-m uvicorn fastapi_app:app --host 127.0.0.1 --port'.split(' '),
      String(port),
    ]),
  ],
  [
    'Go',
    { go: 'version' },
    async (folder) => {
      await cp(path.join(SNIPPETS, 'server.go'), path.join(folder, 'server.go'));
      const verify = path.join(projectFolder, 'examples/verify-webhook/go');
      const module = `module example.com/receiver\n\ngo 1.22\n\nrequire example.com/verify-webhook v0.0.0\n\nreplace example.com/verify-webhook => ${verify}\n`;
      await writeFile(path.join(folder, 'go.mod'), module);
      await run('go', ['build', '-o', 'receiver', '.'], { cwd: folder, env: { CGO_ENABLED: '0' } });
      return { program: './receiver', args: [] };
    },
  ],
  [
    'Java',
    { java: '-version' },
    async (folder) => {
      await cp(path.join(SNIPPETS, 'Webhooks.java'), path.join(folder, 'Webhooks.java'));
      return { program: 'java', args: ['Webhooks.java'] };
    },
  ],
];

const BODY = '{"event_type":"hold_created","event_id":"e1","details":{"note":"पिच – José"}}';

type Delivery = { signedBody?: string; sentBody?: string; ageSeconds?: number };

async function deliver(
  port: number,
  { signedBody = BODY, sentBody = signedBody, ageSeconds = 0 }: Delivery = {},
): Promise<number> {
  const timestampSeconds = Math.floor(Date.now() / 1000) - ageSeconds;
  const response = await fetch(`http://127.0.0.1:${port}/webhooks`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-service-timestamp': String(timestampSeconds),
      'x-service-signature': signDelivery({ secretKey: SECRET_KEY, timestampSeconds, body: signedBody }),
    },
    body: sentBody,
  });
  await response.arrayBuffer();
  return response.status;
}

for (const [platform, needs, prepare] of ROWS) {
  const name = `the snippet for ${platform} accepts fresh deliveries whose signature is valid, and no others`;
  await testWith(needs, name, async () => {
    const folder = await temporaryFolder();
    const port = await freePort();
    const { program, args } = await prepare(folder, port);
    const server: Server = await startServer(program, args, port, { cwd: folder, env: { SECRET_KEY } });
    try {
      const statuses = [
        await deliver(port),
        await deliver(port, { sentBody: BODY.replace('e1', 'e2') }),
        await deliver(port, { ageSeconds: 310 }),
        // Receivers verify the exact bytes: parsing and writing the JSON again would lose the blanks.
        await deliver(port, { signedBody: `${BODY}\n ` }),
        await deliver(port, { sentBody: '' }),
      ];
      // A failed comparison shows the server's output.
      expect([statuses, server.output()]).toEqual([[204, 401, 401, 204, 401], expect.any(String)]);
    } finally {
      await server.end();
    }
  });
}
