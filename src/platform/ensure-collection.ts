import type { Db } from './mongo.ts';

/** An index as the migration creates it. Code and `/readyz` refer to it by `name`. */
export type IndexDefinition = {
  name: string;
  key: Record<string, 1 | -1>;
  unique?: boolean;
  partialFilterExpression?: Record<string, unknown>;
  expireAfterSeconds?: number;
};

/** A collection as the migration creates it, with indexes and the validator that no code path can bypass. */
export type CollectionDefinition = { name: string; jsonSchema?: object; indexes: IndexDefinition[] };

/** The differences between the database and a definition, in words such as `create index one_claim_per_cell`. */
export type CollectionChange = { definition: CollectionDefinition; parts: string[] };

/**
 * Creates the collection, its validator and its indexes if missing, and updates the expiry of indexes. Idempotent, also
 * when run concurrently. An index of the same name with another key or filter is an error.
 */
export async function ensureCollection(db: Db, definition: CollectionDefinition): Promise<void> {
  const validator = definition.jsonSchema === undefined ? {} : { $jsonSchema: definition.jsonSchema };
  await db.createCollection(definition.name).catch((err: { codeName?: string }) => {
    if (err.codeName !== 'NamespaceExists') throw err;
  });
  const options = { validator, validationLevel: 'strict', validationAction: 'error' };
  await database(db).command({ collMod: definition.name, ...options });
  const found = await indexesOf(db, definition.name);
  for (const { name, expireAfterSeconds } of definition.indexes.filter((each) => hasOtherExpiry(found, each)))
    await database(db).command({ collMod: definition.name, index: { name, expireAfterSeconds } });
  if (definition.indexes.length > 0) await database(db).collection(definition.name).createIndexes(definition.indexes);
}

/** What `ensureCollection` would change, a row for each definition with differences. Only reads. */
export async function findChanges(db: Db, definitions: readonly CollectionDefinition[]): Promise<CollectionChange[]> {
  const existing = await optionsOfCollections(db);
  const changes = definitions.map(async (definition) => {
    const options = existing.get(definition.name);
    const indexes = options === undefined ? [] : await indexesOf(db, definition.name);
    return { definition, parts: [...partsOf(definition, options), ...indexChanges(definition, indexes)] };
  });
  return (await Promise.all(changes)).filter(({ parts }) => parts.length > 0);
}

async function optionsOfCollections(db: Db): Promise<Map<string, Options>> {
  const existing = await database(db).listCollections({}, { nameOnly: false }).toArray();
  return new Map(existing.map(({ name, options }) => [name, options ?? {}]));
}

type Options = Record<string, unknown>;

function partsOf({ jsonSchema }: CollectionDefinition, options: Options | undefined) {
  const { schema, isStrict } = validatorIn(options);
  const isValidated = JSON.stringify(schema) === JSON.stringify(jsonSchema);
  return [
    ...(options === undefined ? ['create collection'] : []),
    ...(isValidated && (isStrict || jsonSchema === undefined) ? [] : ['set validator']),
  ];
}

/** The validator of a collection, and whether it rejects invalid writes. */
function validatorIn(options: Options = {}): { schema?: object | undefined; isStrict: boolean } {
  const { validator, validationLevel = 'strict', validationAction = 'error' } = options;
  return {
    schema: (validator as { $jsonSchema?: object } | undefined)?.$jsonSchema,
    isStrict: validationLevel === 'strict' && validationAction === 'error',
  };
}

function indexChanges({ indexes }: CollectionDefinition, found: readonly Record<string, unknown>[]) {
  const missing = indexes.filter((wanted) => !found.some((each) => isSameIndex(each, wanted)));
  const expiring = indexes.filter((wanted) => hasOtherExpiry(found, wanted));
  return [
    ...missing.map(({ name }) => `create index ${name}`),
    ...expiring.map(({ name }) => `set expiry of index ${name}`),
  ];
}

function indexesOf(db: Db, collection: string): Promise<Record<string, unknown>[]> {
  return database(db)
    .collection(collection)
    .indexes()
    .catch((err: { codeName?: string }) => {
      if (err.codeName === 'NamespaceNotFound') return [];
      throw err;
    });
}

/**
 * The names of the missing or different unique indexes, and `<collection>_validator` for each validator that is missing
 * or rejects no writes. Validators are not compared: during an upgrade both releases run on the newer release's
 * validators.
 */
export async function missingGuardsOf(db: Db, definitions: readonly CollectionDefinition[]): Promise<string[]> {
  const existing = await optionsOfCollections(db);
  const indexes = definitions.map(async ({ name, indexes: wanted }) => {
    const unique = wanted.filter((index) => index.unique === true);
    const found = unique.length === 0 ? [] : await indexesOf(db, name);
    return unique.filter((index) => !found.some((each) => isSameIndex(each, index)));
  });
  const unvalidated = definitions.filter(({ name, jsonSchema }) => {
    const { schema, isStrict } = validatorIn(existing.get(name));
    return jsonSchema !== undefined && (schema === undefined || !isStrict);
  });
  return [
    ...(await Promise.all(indexes)).flat().map(({ name }) => name),
    ...unvalidated.map(({ name }) => `${name}_validator`),
  ];
}

function hasOtherExpiry(found: readonly Record<string, unknown>[], wanted: IndexDefinition): boolean {
  const same = found.find((each) => isSameIndex(each, wanted));
  return same !== undefined && same['expireAfterSeconds'] !== wanted.expireAfterSeconds;
}

/** Compares everything except the expiry, which guards nothing. */
function isSameIndex(found: Record<string, unknown>, wanted: IndexDefinition): boolean {
  return (
    found['name'] === wanted.name &&
    JSON.stringify(found['key']) === JSON.stringify(wanted.key) &&
    (found['unique'] ?? false) === (wanted.unique ?? false) &&
    JSON.stringify(found['partialFilterExpression'] ?? {}) === JSON.stringify(wanted.partialFilterExpression ?? {})
  );
}

function database(db: Db): NonNullable<Db['db']> {
  if (db.db === undefined) throw new Error('Cannot list collections before initial connection is complete');
  return db.db;
}
