import type mongoose from 'mongoose';
import { operatorRoutes } from '../../src/main/admin-app.ts';
import { partnerRoutes } from '../../src/main/partner-app.ts';
import type { Service } from '../support/service.ts';
import type { InputOfRoute } from './injection-inputs.ts';
import { inputsOf, templateFor } from './injection-inputs.ts';
import { injectedInto, OPERATORS } from './injection-payloads.ts';
import type { Input, KnownValues, Template } from './injection-template.ts';

type Context = Service['context'];

/** The inputs of both APIs; cached, because describing a schema costs more than its request. */
const inputs = new WeakMap<Context, Record<ApiName, InputOfRoute[]>>();

export type ApiName = 'partner' | 'operator';

function inputsOfContext(context: Context): Record<ApiName, InputOfRoute[]> {
  const known = inputs.get(context) ?? {
    partner: inputsOf(partnerRoutes(context)),
    operator: inputsOf(operatorRoutes(context)),
  };
  inputs.set(context, known);
  return known;
}

/** All inputs of an API, as `inputsOf` returns them. */
export const listInputs = (context: Context, apiName: ApiName): Input[] =>
  inputsOfContext(context)[apiName].map(({ route: _route, ...input }) => input);

/** A template for an input: a legal call, or a call with a gap in place of the input. */
export type WantedTemplate = { id: string; form: 'gap' | 'legal' };

/** The templates; with `variesValues`, each has the next real values. */
export function makeTemplates(
  context: Context,
  apiName: ApiName,
  { known, wanted, variesValues }: { known: KnownValues; wanted: readonly WantedTemplate[]; variesValues: boolean },
): Template[] {
  const byId = new Map(inputsOfContext(context)[apiName].map((input) => [input.id, input]));
  return wanted.map(({ id, form }, index) => {
    const input = byId.get(id);
    if (input === undefined) throw new Error(`There is no input ${id}`);
    const valueIndex = variesValues ? index : 0;
    return templateFor(input, known, { valueIndex, hasGap: form === 'gap' });
  });
}

/** The legal call of every route: `POST /api/v1/partner/holds`. */
export function makeLegalCalls(
  context: Context,
  apiName: ApiName,
  known: KnownValues,
): { id: string; template: Template }[] {
  const byRoute = new Map(inputsOfContext(context)[apiName].map((input) => [input.route, input]));
  return [...byRoute.values()].map((input, valueIndex) => ({
    id: `${input.method} ${input.route.path}`,
    template: templateFor({ ...input, place: 'body', name: '' }, known, { valueIndex, hasGap: false }),
  }));
}

/** Database commands that contained a payload as an operator. */
const injected = new WeakMap<Context, Set<string>>();

/** Starts to watch commands; the service's connections must be monitored. */
export function watchCommands(context: Context): void {
  const found = new Set<string>();
  injected.set(context, found);
  context.db.getClient().on('commandStarted', ({ command }: mongoose.mongo.CommandStartedEvent) => {
    for (const each of injectedInto(command)) found.add(each);
  });
}

export const injectedCommands = (context: Context): string[] => [...(injected.get(context) ?? [])];

/** Stored documents that contain a payload as an operator, and the number of collections searched. */
export async function injectedDocuments({ db }: Context): Promise<{ found: string[]; collections: number }> {
  const names = (await db.db?.listCollections().toArray())?.map(({ name }) => name) ?? [];
  const found = names.map(async (name) => {
    const documents = await db.collection(name).find({}).toArray();
    return documents.flatMap((document) => injectedInto(document, name));
  });
  return { found: (await Promise.all(found)).flat(), collections: names.length };
}

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
