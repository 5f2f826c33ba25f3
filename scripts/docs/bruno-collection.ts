import { envJsonToBruV2, jsonToBruV2, jsonToCollectionBru } from '@usebruno/lang';
import type { CollectionRequest, Folder } from './collection-requests.ts';
import { COMPUTED_VARIABLES } from './collection-requests.ts';

/** A collection for Bruno, which keeps a file a request: path in the collection's folder → text. */
export function brunoCollection(title: string, folders: readonly Folder[]): Record<string, string> {
  const auth = {
    mode: 'apikey',
    apikey: { key: 'x-api-key', value: '{{api_key}}', placement: 'header' },
  };
  const environment = {
    variables: [
      { name: 'base_url', value: 'http://127.0.0.1:3000', enabled: true, secret: false },
      { name: 'api_key', value: '', enabled: true, secret: true },
    ],
  };
  const setters = Object.entries(COMPUTED_VARIABLES).map(setter).join('\n');
  const requests = folders.flatMap(({ name: folder, requests: each }) =>
    each.map((request, index) => [`${folder}/${request.name}.bru`, fileOf(request, index + 1)] as const),
  );
  return {
    'bruno.json': `${JSON.stringify({ version: '1', name: title, type: 'collection' }, null, 2)}\n`,
    'collection.bru': jsonToCollectionBru({
      auth: { mode: auth.mode, apikey: auth.apikey },
      script: { req: setters },
    }),
    'environments/Local.bru': envJsonToBruV2(environment),
    ...Object.fromEntries(
      folders.map(({ name }, index) => [
        `${name}/folder.bru`,
        `meta {\n  name: ${name}\n  seq: ${index + 1}\n}\n`,
      ]),
    ),
    ...Object.fromEntries(requests),
  };
}

function fileOf(
  { name, method, path, body, description, ...request }: CollectionRequest,
  seq: number,
): string {
  const enabled = request.query
    .filter(({ isEnabled }) => isEnabled)
    .map(({ name: key, value }) => `${key}=${value}`);
  const saving = Object.entries(request.saves).map(setter);
  return jsonToBruV2({
    meta: { name, type: 'http', seq },
    http: {
      method: method.toLowerCase(),
      url: `{{base_url}}${path}${enabled.length === 0 ? '' : `?${enabled.join('&')}`}`,
      body: body === undefined ? 'none' : 'json',
      auth: 'inherit',
    },
    params: [
      ...request.query.map(({ name: key, value, isEnabled }) => ({
        ...{ name: key, value, type: 'query', enabled: isEnabled },
      })),
      ...Object.entries(request.pathVariables).map(([key, value]) => ({
        ...{ name: key, value, type: 'path', enabled: true },
      })),
    ],
    ...(body === undefined ? {} : { body: { json: JSON.stringify(body, null, 2) } }),
    ...(saving.length === 0
      ? {}
      : {
          script: { res: `const { body, status } = res;\nif (status < 300) {\n  ${saving.join('\n  ')}\n}` },
        }),
    docs: description === '' ? undefined : description,
  });
}

const setter = ([name, expression]: [string, string]): string => `bru.setVar('${name}', ${expression});`;
