import { readFile } from 'node:fs/promises';
import vm from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bruToJsonV2 } from '@usebruno/lang';
import { generatedDocs } from '../../scripts/docs/documents.ts';
import type { Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue } from '../support/factories.ts';
import { publishedDescription } from '../support/published-description.ts';
import type { SharedService } from '../support/service-host.ts';
import { sharedService } from '../support/service-host.ts';

type Script = { listen: string; script: { exec: string[] } };
type Item = {
  name: string;
  event?: Script[];
  request: {
    method: string;
    header: { key: string; value: string }[];
    url: { raw: string; variable: { key: string; value: string }[] };
    body?: { raw: string };
  };
};
type Postman = { event: Script[]; item: { name: string; item: Item[] }[] };

let service: SharedService;
let venue: Venue;
let partner: Partner;
let postman: Postman;
beforeAll(async () => {
  service = sharedService();
  venue = await anyVenue(service);
  partner = await anyPartner(service, [venue.id]);
  const file = new URL('../../docs/collections/postman.json', import.meta.url);
  postman = JSON.parse(await readFile(file, 'utf8')) as Postman;
});
afterAll(() => service.stop());

/** Runs the requests of a folder one after another, as Postman does; returns their statuses. */
async function run(folder: string): Promise<string[]> {
  const variables = new Map([['base_url', service.url]]);
  const evaluate = (scripts: readonly Script[], response?: { code: number; json: () => unknown }) => {
    const collectionVariables = { set: (name: string, value: string) => variables.set(name, value) };
    const context = vm.createContext({ pm: { collectionVariables, response } });
    for (const { script } of scripts) vm.runInContext(script.exec.join('\n'), context);
  };
  const filled = (text: string): string =>
    text.replaceAll(/\{\{([$\w]+)\}\}/g, (whole, name: string) =>
      name === '$guid' ? crypto.randomUUID() : (variables.get(name) ?? whole),
    );
  const statuses: string[] = [];
  for (const { name, event = [], request } of postman.item.find((each) => each.name === folder)?.item ?? []) {
    evaluate(postman.event);
    const path = request.url.variable.reduce(
      (url, { key, value }) => url.replace(`:${key}`, value),
      request.url.raw,
    );
    const headers = Object.fromEntries(request.header.map(({ key, value }) => [key, value]));
    const response = await fetch(filled(path), {
      method: request.method,
      headers: { ...headers, 'x-api-key': partner.apiKey },
      ...(request.body === undefined ? {} : { body: filled(request.body.raw) }),
    });
    const body: unknown = await response.json();
    evaluate(event, { code: response.status, json: () => body });
    statuses.push(`${name}: ${response.status}`);
  }
  return statuses;
}

describe('the collections', () => {
  test('lead from a key to a booking, each request with what the one before it returned', async () => {
    expect(await run('Quickstart')).toEqual([
      'Read whose key you call with, and your limits: 200',
      'List the venues granted to you: 200',
      'Read the slots of a venue on one date: 200',
      'Place a hold on a slot: 201',
      'Confirm a hold into a booking: 201',
      'Read a booking: 200',
      'Cancel a booking: 200',
    ]);
  });

  test('have every call of the description', () => {
    const summaries = Object.values(publishedDescription('partner').paths).flatMap((methods) =>
      Object.values(methods).map((operation) => (operation as { summary: string }).summary),
    );
    const inPostman = postman.item.filter(({ name }) => name !== 'Quickstart').flatMap(({ item }) => item);
    expect(inPostman.map(({ name }) => name).toSorted()).toEqual(summaries.toSorted());
    const inBruno = Object.entries(generatedDocs()).flatMap(([path, text]) =>
      /bruno\/(?!Quickstart|environments).+\/(?!folder)[^/]+\.bru$/.test(path)
        ? [(bruToJsonV2(text) as { meta: { name: string } }).meta.name]
        : [],
    );
    expect(inBruno.toSorted()).toEqual(summaries.toSorted());
  });
});
