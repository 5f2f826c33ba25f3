import type { Stored } from './rows.ts';

/** All documents of all collections as text: everything that a reader of the database sees. */
export async function dumpDatabase(service: Stored): Promise<string> {
  const { db } = service.context.db;
  if (db === undefined) throw new Error('The database is not connected');
  const names = (await db.listCollections().toArray()).map(({ name }) => name);
  const parts = await Promise.all(
    names.map(async (name) => [name, JSON.stringify(await db.collection(name).find({}).toArray())]),
  );
  return parts.flat().join('\n');
}
