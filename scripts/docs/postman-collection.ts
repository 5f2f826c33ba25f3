import type { CollectionRequest, Folder } from './collection-requests.ts';
import { COMPUTED_VARIABLES } from './collection-requests.ts';

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

/** A collection in Postman's format 2.1, as JSON. */
export function postmanCollection(title: string, folders: readonly Folder[]): string {
  const collection = {
    info: { name: title, schema: SCHEMA },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'x-api-key' },
        { key: 'value', value: '{{api_key}}' },
        { key: 'in', value: 'header' },
      ],
    },
    variable: [
      { key: 'base_url', value: 'http://127.0.0.1:3000' },
      { key: 'api_key', value: '' },
    ],
    event: [script('prerequest', settersOf(COMPUTED_VARIABLES))],
    item: folders.map(({ name, description, requests }) => ({
      name,
      description,
      item: requests.map(itemOf),
    })),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

function itemOf({ name, saves, ...request }: CollectionRequest): object {
  const body =
    request.body === undefined
      ? {}
      : {
          body: {
            mode: 'raw',
            raw: JSON.stringify(request.body, null, 2),
            options: { raw: { language: 'json' } },
          },
        };
  const saving = [
    'if (pm.response.code < 300) {',
    '  const body = pm.response.json();',
    ...settersOf(saves),
    '}',
  ];
  return {
    name,
    ...(Object.keys(saves).length === 0 ? {} : { event: [script('test', saving)] }),
    request: {
      method: request.method,
      header: request.body === undefined ? [] : [{ key: 'content-type', value: 'application/json' }],
      url: urlOf(request),
      ...body,
      description: request.description,
    },
  };
}

function urlOf({ path, query, pathVariables }: Omit<CollectionRequest, 'name' | 'saves'>): object {
  const enabled = query.filter(({ isEnabled }) => isEnabled).map(({ name, value }) => `${name}=${value}`);
  return {
    raw: `{{base_url}}${path}${enabled.length === 0 ? '' : `?${enabled.join('&')}`}`,
    host: ['{{base_url}}'],
    path: path.split('/').slice(1),
    query: query.map(({ name, value, isEnabled, description }) => ({
      ...{ key: name, value, description },
      ...(isEnabled ? {} : { disabled: true }),
    })),
    variable: Object.entries(pathVariables).map(([key, value]) => ({ key, value })),
  };
}

const script = (listen: 'prerequest' | 'test', exec: readonly string[]) => ({
  listen,
  script: { type: 'text/javascript', exec },
});

const settersOf = (variables: Readonly<Record<string, string>>): string[] =>
  Object.entries(variables).map(
    ([name, expression]) => `pm.collectionVariables.set('${name}', ${expression});`,
  );
