import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ActionName } from '../../packages/client/src/certification/actions.ts';
import type { Defect } from '../../packages/client/src/certification/model/defects.ts';
import { startModelIntegration } from '../../packages/client/src/certification/model/model-integration.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { type Ended, partner } from '../partner-command/partner.ts';
import { freePort } from '../support/own-servers.ts';
import { startStubServer } from '../support/stub-server.ts';
import type { Candidate } from './certification-scene.ts';

/** Runs `partner certify` in this process, without a terminal. */
export const certifyCommand = (
  { baseUrl: url, apiKey }: Pick<Candidate, 'baseUrl' | 'apiKey'>,
  args: readonly string[],
): Promise<Ended> => partner({ url, apiKey }, ['certify', ...args]);

/** Serves the model integration as a partner would: actions over HTTP, and a profile. It calls the proxy by default. */
export async function serveModel(
  { apiKey }: Pick<Candidate, 'apiKey'>,
  { defects = [], baseUrl }: { defects?: readonly Defect[]; baseUrl?: string } = {},
) {
  const proxyPort = await freePort();
  const proxyUrl = `http://127.0.0.1:${proxyPort}`;
  const model = await startModelIntegration({ baseUrl: baseUrl ?? proxyUrl, apiKey, defects });
  const server = await startStubServer((request, response) => {
    const answer = async () => {
      const input = JSON.parse(Buffer.concat((await request.toArray()) as Buffer[]).toString()) as object;
      const result = await model.transport(path.basename(request.url ?? '') as ActionName, input);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
    };
    answer().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  const profile = await writeProfile({
    name: 'Model Tickets',
    actions: { url: `${server.url}/certification` },
    webhook_url: model.webhookUrl,
    proxy_port: proxyPort,
  });
  return {
    /** The file with the integration's profile. */
    profile,
    proxyUrl,
    close: async () => {
      await server.close();
      await model.close();
    },
  };
}

/** Writes a profile, by default of an integration that does not run; returns the path of its file. */
export async function writeProfile(fields: object): Promise<string> {
  const file = path.join(await temporaryFolder(), 'certification.json');
  const nowhere = 'http://127.0.0.1:1023';
  const anyProfile = { name: 'Any', actions: { url: nowhere }, webhook_url: nowhere, proxy_port: await freePort() };
  await writeFile(file, JSON.stringify({ ...anyProfile, ...fields }));
  return file;
}
