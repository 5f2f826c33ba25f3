import type { Description } from 'joi';
import { operatorRoutes } from '../../src/main/admin-app.ts';
import { partnerRoutes } from '../../src/main/partner-app.ts';
import type { Service } from '../support/service.ts';
import type { ApiName } from './injection.in-host.ts';
import { inputsOf, templateFor } from './injection-inputs.ts';
import type { KnownValues, Template } from './injection-template.ts';

type Described = Description & {
  metas?: { jsonSchema?: { format?: string; pattern?: string } }[];
  rules?: { name: string; args?: { limit?: number } }[];
};
type Bounds = [lowest: unknown, highest: unknown];

const LONGEST_LIST = 1000;

function kindOf({ type, metas = [] }: Described): string {
  const { format = '', pattern = '' } = metas.find(({ jsonSchema }) => jsonSchema !== undefined)?.jsonSchema ?? {};
  if (format.startsWith('date')) return format;
  return pattern.includes('[0-5][05]') ? 'time' : (type ?? 'any');
}

/** The smallest and largest value that the schema accepts; undefined if it has no bounds. */
function boundsOf(described: Described): Bounds | undefined {
  const limitOf = (name: string) => described.rules?.find((rule) => rule.name === name)?.args?.limit;
  switch (kindOf(described)) {
    case 'date':
      return ['0000-01-01', '9999-12-31'];
    case 'date-time':
      return ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'];
    case 'time':
      return ['00:00', '23:55'];
    case 'number':
      return [limitOf('min') ?? -Number.MAX_SAFE_INTEGER, limitOf('max') ?? Number.MAX_SAFE_INTEGER];
    case 'string':
      return ['', 'a'.repeat(limitOf('max') ?? 10_000)];
    case 'array': {
      const [item] = (described['items'] ?? []) as Described[];
      const example = described['examples']?.[0] as unknown[] | undefined;
      const largestItem = example?.[0] ?? (item === undefined ? 'a' : boundsOf(item)?.[1]);
      return [[], Array.from({ length: limitOf('max') ?? LONGEST_LIST }, () => largestItem)];
    }
    default:
      return undefined;
  }
}

export type ExtremeCall = { id: string; template: Template };

/** Each route's legal call with each parameter at either bound, and with all parameters of one kind at that bound. */
export function extremeCalls(context: Service['context'], apiName: ApiName, known: KnownValues): ExtremeCall[] {
  const routes = apiName === 'partner' ? partnerRoutes(context) : operatorRoutes(context);
  const byRoute = new Map(inputsOf(routes).map((input) => [input.route, input]));
  return [...byRoute.values()].flatMap((input, valueIndex) => {
    const { route, method } = input;
    const legal = templateFor({ ...input, place: 'body', name: '' }, known, { valueIndex, hasGap: false });
    return (['query', 'body'] as const).flatMap((place) => {
      const keys = Object.entries((route[place]?.describe()['keys'] ?? {}) as Record<string, Described>);
      const kinds = [...new Set(keys.map(([, described]) => kindOf(described)))];
      const groups = [
        ...keys.map((key) => [key]),
        ...kinds.map((kind) => keys.filter(([, described]) => kindOf(described) === kind)),
      ].filter((group, index) => index < keys.length || group.length > 1);
      return groups.flatMap((group) =>
        [0, 1].flatMap((bound): ExtremeCall[] => {
          const values = group.flatMap(([name, described]) => {
            const bounds = boundsOf(described);
            return bounds === undefined ? [] : [[name, bounds[bound]] as const];
          });
          const id = `${method} ${route.path} ${place} ${values.map(([name]) => name).join()} at bound ${bound}`;
          return values.length === 0 ? [] : [{ id, template: withValues(legal, place, Object.fromEntries(values)) }];
        }),
      );
    });
  });
}

function withValues(legal: Template, place: 'query' | 'body', values: Record<string, unknown>): Template {
  if (place === 'body')
    return { ...legal, body: JSON.stringify({ ...(JSON.parse(legal.body ?? '{}') as object), ...values }) };
  const [path = '', query = ''] = legal.path.split('?');
  const parameters = new URLSearchParams(query);
  for (const [name, value] of Object.entries(values)) parameters.set(name, String(value));
  return { ...legal, path: `${path}?${parameters.toString()}` };
}
