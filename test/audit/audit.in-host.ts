import { createAdminApp, operatorRoutes } from '../../src/main/admin-app.ts';
import { describeOperatorApi } from '../../src/main/operator-openapi.ts';
import type { AlertRow } from '../../src/operations/alerts/alert-types.ts';
import { alertsOf, sweep } from '../alerts/watching.ts';
import type { Json } from '../support/factories.ts';
import type { Service } from '../support/service.ts';
import { listenUntilStop } from '../support/service-stop.ts';

type Context = Service['context'];
type Operation = { method: string; path: string; operationId: string };

/** What operators can call that changes something, from the routes themselves. */
export async function changingOperations(context: Context): Promise<Operation[]> {
  return operatorRoutes(context)
    .filter(({ method }) => method !== 'get')
    .map(({ method, path, operationId }) => ({ method, path, operationId }));
}

/** The names of all fields that the operator's interface takes or gives. */
export async function namesOfFields(context: Context): Promise<string[]> {
  const { schemas } = describeOperatorApi(operatorRoutes(context)).components;
  const names = new Set<string>();
  JSON.stringify(schemas, (_key, value: unknown) => {
    const properties = (value as { properties?: Json } | null)?.properties;
    for (const name of Object.keys(properties ?? {})) names.add(name);
    return value;
  });
  return [...names];
}

/** The alerts about wrong keys, after the watch has looked once. */
export async function alertsOfWrongKeys(context: Context): Promise<AlertRow[]> {
  await sweep({ context });
  return alertsOf({ context }, { kind: 'wrong_keys' });
}

/** An admin listener that cannot write how an action ended; returns its address. */
export const listenUnwritable = (context: Context): Promise<string> =>
  listenUntilStop(context, createAdminApp({ ...context, db: blindTo(context.db) }));

/** The database, except that audit rows are only inserted: the update with their outcome fails. */
function blindTo(db: Context['db']): Context['db'] {
  const audit = new Proxy(db.collection('audit'), {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'updateOne') return value.bind(target) as unknown;
      return (filter: object, update: object, ...rest: unknown[]): unknown =>
        '$set' in update ? Promise.reject(new Error('the disk is full')) : value.call(target, filter, update, ...rest);
    },
  });
  return new Proxy(db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name === 'collection') return (given: string) => (given === 'audit' ? audit : target.collection(given));
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
