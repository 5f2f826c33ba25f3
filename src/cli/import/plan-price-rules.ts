import { MAX_PRICE_RULES } from '../../venues/price-rule-limit.rules.ts';
import { textOf } from '../values.ts';
import { ruleChanges } from './changes.ts';
import type { WantedResource, WantedRule } from './check.ts';
import { nameKey } from './file-content.ts';
import type { CurrentResource } from './read-current.ts';
import { PREFIX } from './read-current.ts';
import type { Plan, Step, StepBase } from './steps.ts';
import { resourceStep } from './steps.ts';

type Json = Record<string, unknown>;
type Verdict = { rule: WantedRule; kept: Json | undefined; replaced: Json[]; step: Step | undefined };

/**
 * The API changes no price rule, so one that differs is made anew, and the old one removed after that, so that
 * at every moment one of the two holds. Among rules of one priority the newest wins, which for a file is the last: where one of
 * them is made anew, so are those of its priority that come after it.
 */
export function planPriceRules(
  plan: Plan,
  resource: WantedResource,
  base: StepBase,
  existing: CurrentResource | undefined,
): void {
  const current = existing?.rules ?? [];
  const remade = new Set<number>();
  let lastKept = new Map<number, number>();
  const verdicts = resource.rules.map((rule): Verdict => {
    const { priority } = rule.body;
    const ofName = current.filter((each) => nameKey(each['name']) === nameKey(rule.body.name));
    const kept = remade.has(priority)
      ? undefined
      : ofName.find(
          (each) =>
            ruleChanges(rule.body, each).length === 0 &&
            current.indexOf(each) > (lastKept.get(priority) ?? -1),
        );
    if (kept === undefined) remade.add(priority);
    else lastKept = new Map([...lastKept, [priority, current.indexOf(kept)]]);
    const replaced = ofName.filter((each) => each !== kept);
    return { rule, kept, replaced, step: kept === undefined ? creation(rule, base, replaced) : undefined };
  });
  plan.unchanged += verdicts.filter(
    ({ kept, replaced }) => kept !== undefined && replaced.length === 0,
  ).length;
  requireRoom(plan, resource, base, current, verdicts);
  const made = verdicts.flatMap(({ step }) => step ?? []);
  const removed = verdicts.flatMap(({ rule, replaced }) => replaced.map((each) => removal(rule, base, each)));
  const hasRoom = current.length + made.length <= MAX_PRICE_RULES;
  plan.steps.push(...(hasRoom ? [...made, ...removed] : [...removed, ...made]));
}

function creation(rule: WantedRule, base: StepBase, replaced: readonly Json[]): Step {
  const [old] = replaced;
  const changes = old === undefined ? [] : ruleChanges(rule.body, old);
  const note =
    old === undefined
      ? undefined
      : changes.length === 0
        ? 'created again, to stay behind another rule of its priority'
        : 'created again, because a rule cannot be changed';
  return {
    ...{ ...resourceStep(base, 'price rule'), action: old === undefined ? 'create' : 'change' },
    ...{ name: rule.body.name, line: rule.line, changes },
    ...(note === undefined ? {} : { note }),
    request: (ids) => ({ method: 'POST', path: `${base.path(ids)}/price-rules`, body: rule.body }),
  };
}

function removal(rule: WantedRule, base: StepBase, old: Json): Step {
  const path = `${PREFIX}/price-rules/${textOf(old['price_rule_id'])}`;
  return {
    ...{
      ...resourceStep(base, 'price rule'),
      action: 'remove',
      name: rule.body.name,
      line: rule.line,
      changes: [],
    },
    ...{ note: 'the old one', request: () => ({ method: 'DELETE', path }) },
  };
}

function requireRoom(
  plan: Plan,
  { line, rules }: WantedResource,
  { venue, resource }: StepBase,
  current: readonly Json[],
  verdicts: readonly Verdict[],
): void {
  const named = verdicts.flatMap(({ kept, replaced }) => [...(kept ? [kept] : []), ...replaced]);
  const others = current.length - named.length;
  if (rules.length + others <= MAX_PRICE_RULES) return;
  const message =
    `would have ${rules.length + others} price rules with the ${others} that the file does not name; ` +
    `a resource can have at most ${MAX_PRICE_RULES}`;
  plan.faults.push({ line, subject: `${venue} / ${resource ?? ''}`, path: '', message });
}
