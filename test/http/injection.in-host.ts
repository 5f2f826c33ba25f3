import type mongoose from 'mongoose';
import { operatorRoutes } from '../../src/main/admin-app.ts';
import { partnerRoutes } from '../../src/main/partner-app.ts';
import { memoizeByObject } from '../../src/platform/memoize-by-object.ts';
import type { Service } from '../support/service.ts';
import { inputsOf, templateFor } from './injection-inputs.ts';
import { injectedInto, OPERATORS } from './injection-payloads.ts';
import type { Input, KnownValues, Template } from './injection-template.ts';

type Context = Service['context'];
export type ApiName = 'partner' | 'operator';

/** The inputs of both APIs; cached, because describing a schema costs more than its request. */
const inputsOfContext = memoizeByObject((context: Context) => ({
  partner: inputsOf(partnerRoutes(context)),
  operator: inputsOf(operatorRoutes(context)),
}));

/** All inputs of an API, as `inputsOf` returns them. */
export const listInputs = (context: Context, apiName: ApiName): Input[] =>
  inputsOfContext(context)[apiName].map(({ route: _route, ...input }) => input);

/** Legal calls of the inputs' routes; in the form `gap` each has other real values, and a gap in place of the input. */
export function makeTemplates(
  context: Context,
  apiName: ApiName,
  known: KnownValues,
  form: 'gap' | 'legal',
  ids: readonly string[],
): Template[] {
  const byId = new Map(inputsOfContext(context)[apiName].map((input) => [input.id, input]));
  return ids.map((id, index) => {
    const input = byId.get(id);
    if (input === undefined) throw new Error(`There is no input ${id}`);
    const hasGap = form === 'gap';
    return templateFor(input, known, { valueIndex: hasGap ? index : 0, hasGap });
  });
}

/** The legal call of every route: `POST /api/v1/partner/holds`. */
export function makeLegalCalls(context: Context, apiName: ApiName, known: KnownValues) {
  const byRoute = new Map(inputsOfContext(context)[apiName].map((input) => [input.route, input]));
  return [...byRoute.values()].map((input, valueIndex) => ({
    id: `${input.method} ${input.route.path}`,
    template: templateFor({ ...input, place: 'body', name: '' }, known, { valueIndex, hasGap: false }),
  }));
}

/** Database commands that contained a payload as an operator. */
const injected = memoizeByObject((_context: Context) => new Set<string>());

/** Starts to watch commands; the service's connections must be monitored. */
export function watchCommands(context: Context): void {
  context.db.getClient().on('commandStarted', ({ command }: mongoose.mongo.CommandStartedEvent) => {
    for (const each of injectedInto(command)) injected(context).add(each);
  });
}

export const injectedCommands = (context: Context): string[] => [...injected(context)];

/** Does what a successful injection would do, on a separate collection. */
export async function plantInjection({ db }: Context): Promise<void> {
  const name = { $ne: OPERATORS['$ne'] };
  const planted = db.collection('planted');
  await planted.findOne({ 'customer.name': name });
  await planted.insertOne({ name });
}

/** The members of built-in prototypes in the process of the service. */
export function membersOfPrototypes(_context: Context): string[][] {
  const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
  return prototypes.map((each) => Reflect.ownKeys(each).map(String));
}
