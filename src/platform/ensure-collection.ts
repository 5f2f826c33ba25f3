import type { Db } from './mongo.ts';

/** An index as the explicit migration step makes it; `name` is what the code and `/readyz` refer to. */
export type IndexDefinition = {
  name: string;
  key: Record<string, 1 | -1>;
  unique?: boolean;
  partialFilterExpression?: Record<string, unknown>;
  expireAfterSeconds?: number;
};

/** A collection with the guards that the database itself enforces. */
export type CollectionDefinition = {
  name: string;
  /** A `$jsonSchema`: what no code path, mistaken or hostile, can write past. */
  jsonSchema?: Record<string, unknown>;
  indexes: IndexDefinition[];
};

/** Creates the collection, its validator and its indexes where they are missing; safe to run again and beside itself. */
export async function ensureCollection(db: Db, definition: CollectionDefinition): Promise<void> {
  const validator = definition.jsonSchema === undefined ? {} : { $jsonSchema: definition.jsonSchema };
  await db.createCollection(definition.name).catch((err: { codeName?: string }) => {
    if (err.codeName !== 'NamespaceExists') throw err;
  });
  await database(db).command({ collMod: definition.name, validator, validationLevel: 'strict' });
  if (definition.indexes.length > 0)
    await database(db).collection(definition.name).createIndexes(definition.indexes);
}

/** The names of the unique indexes that the definition states and the database lacks (or has with another key or filter). */
export async function missingUniqueIndexes(db: Db, definition: CollectionDefinition): Promise<string[]> {
  const unique = definition.indexes.filter((index) => index.unique === true);
  if (unique.length === 0) return [];
  const existing = await database(db)
    .collection(definition.name)
    .indexes()
    .catch((err: { codeName?: string }) => {
      if (err.codeName === 'NamespaceNotFound') return [];
      throw err;
    });
  return unique
    .filter((wanted) => !existing.some((found) => isSameIndex(found, wanted)))
    .map((wanted) => wanted.name);
}

/**
 * `<collection>_validator` for each collection that is to have a validator and has none that rejects writes. Which one it is is
 * not compared: while a release replaces another, both run on the newer one's.
 */
export async function missingValidators(
  db: Db,
  definitions: readonly CollectionDefinition[],
): Promise<string[]> {
  const existing = await database(db).listCollections({}, { nameOnly: false }).toArray();
  const optionsOf = new Map(existing.map(({ name, options }) => [name, options]));
  const isValidated = ({ name }: CollectionDefinition): boolean => {
    const options: Record<string, unknown> = optionsOf.get(name) ?? {};
    return (
      (options['validator'] as { $jsonSchema?: object } | undefined)?.$jsonSchema !== undefined &&
      (options['validationLevel'] ?? 'strict') === 'strict' &&
      (options['validationAction'] ?? 'error') === 'error'
    );
  };
  return definitions
    .filter((definition) => definition.jsonSchema !== undefined && !isValidated(definition))
    .map(({ name }) => `${name}_validator`);
}

function isSameIndex(found: Record<string, unknown>, wanted: IndexDefinition): boolean {
  return (
    found['name'] === wanted.name &&
    JSON.stringify(found['key']) === JSON.stringify(wanted.key) &&
    (found['unique'] ?? false) === (wanted.unique ?? false) &&
    JSON.stringify(found['partialFilterExpression'] ?? {}) ===
      JSON.stringify(wanted.partialFilterExpression ?? {})
  );
}

function database(db: Db): NonNullable<Db['db']> {
  if (db.db === undefined) throw new Error('Cannot list collections before initial connection is complete');
  return db.db;
}
