import { createAdminApp, operatorRoutes } from '../../src/main/admin-app.ts';
import { describeOperatorApi } from '../../src/main/operator-openapi.ts';
import type { AlertRow } from '../../src/operations/alerts/alert-types.ts';
import { subjectReaderOf } from '../../src/operations/audit/audited-subject.ts';
import { sweep } from '../alerts/watching.in-host.ts';
import { alertsOf } from '../alerts/watching.ts';
import type { Json } from '../support/factories.ts';
import type { Service } from '../support/service.ts';
import { listenUntilStop } from '../support/service-stop.ts';

type Context = Service['context'];
type Operation = {
  method: string;
  path: string;
  operationId: string;
  creates: boolean;
  isSubjectRead: boolean;
};

/**
 * The operator operations that change something, and whether the audit reads their subject. It reads no subject for an
 * operation that creates one.
 */
export async function changingOperations(context: Context): Promise<Operation[]> {
  const routes = operatorRoutes(context);
  return routes
    .filter(({ method }) => method !== 'get')
    .map((row) => ({
      method: row.method,
      path: row.path,
      operationId: row.operationId,
      creates: row.responses[201] !== undefined,
      isSubjectRead: subjectReaderOf(routes, row) !== undefined,
    }));
}

/** The names of all fields that the operator API accepts or returns. */
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

/** The alerts about wrong keys, after one sweep. */
export async function alertsOfWrongKeys(context: Context): Promise<AlertRow[]> {
  await sweep(context);
  return alertsOf({ context }, { kind: 'wrong_keys' });
}

/** An admin listener that cannot record how an action ended; returns its address. */
export const listenUnwritable = (context: Context): Promise<string> =>
  listenUntilStop(context, createAdminApp({ ...context, db: withFailingAudit(context.db) }));

/** The database, except that updates of audit rows fail. */
function withFailingAudit(db: Context['db']): Context['db'] {
  return new Proxy(db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name !== 'models') return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      const models = value as Record<string, object>;
      const audit = new Proxy(models['audit'] ?? {}, {
        get: (model, field) =>
          field === 'updateOne'
            ? () => Promise.reject(new Error('the disk is full'))
            : (Reflect.get(model, field) as unknown),
      });
      return { ...models, audit };
    },
  });
}
