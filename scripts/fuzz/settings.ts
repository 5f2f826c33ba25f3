/** Settings that mix real values into the fuzzer's generated ones. */

/** Values by the name of a query or body field, or of the collection before a path parameter (`holds`). */
export type KnownValues = Readonly<Record<string, readonly string[]>>;

export type OpenApiDocument = { paths: Record<string, Record<string, unknown>> };

/** Share of real values for a known name; the others are random. */
const REAL_SHARE = 0.7;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * A configuration file for the fuzzer (TOML). Mixes random and real ids: random ids alone would nearly always cause a
 * 404, real ids alone never. A path parameter gets the values of the collection named by the segment before it.
 */
export function fuzzSettings(document: OpenApiDocument, values: KnownValues): string {
  const dictionaries = Object.entries(values).map(
    ([name, known]) => `${quote(name)} = { values = [${known.map(quote).join(', ')}] }`,
  );
  const fields = Object.keys(values).flatMap((name) =>
    ['query', 'body'].map((place) => binding(`${place}.${name}`, name)),
  );
  const operations = Object.keys(document.paths).flatMap((path) => {
    const parameters = parametersOf(path).filter(({ collection }) => values[collection] !== undefined);
    if (parameters.length === 0) return [];
    const bindings = parameters.map(({ name, collection }) => binding(`path.${name}`, collection));
    return [`[[operations]]\ninclude-path = ${quote(path)}\n[operations.parameters]\n${bindings.join('\n')}`];
  });
  return ['[dictionaries]', ...dictionaries, '[parameters]', ...fields, ...operations].join('\n');
}

export function countOperations(document: OpenApiDocument): number {
  return Object.values(document.paths).flatMap((item) => METHODS.filter((method) => method in item)).length;
}

function parametersOf(path: string): { name: string; collection: string }[] {
  return [...path.matchAll(/([^/]+)\/\{([^}]+)\}/g)].map(([, collection = '', name = '']) => ({
    name,
    collection,
  }));
}

const binding = (key: string, dictionary: string) =>
  `${quote(key)} = { dictionary = ${quote(dictionary)}, probability = ${REAL_SHARE} }`;

/** TOML accepts JSON strings. */
const quote = (text: string) => JSON.stringify(text);

/** The document with only one GET operation, whose response schema no body can match. */
export function withImpossibleResponses(document: OpenApiDocument): OpenApiDocument {
  const [path, item] = Object.entries(document.paths).find(([, each]) => 'get' in each) ?? [];
  if (path === undefined || item === undefined) throw new Error('The document has no operation that reads');
  const content = { 'application/json': { schema: { not: {} } } };
  const responses = { default: { description: 'No body matches this schema', content } };
  const operation = { ...(item['get'] as Record<string, unknown>), responses };
  return { ...document, paths: { [path]: { ...item, get: operation } } };
}
