import { MAX_PRICE_RULES } from '../../catalog/venues/price-rule-limit.rules.ts';
import type { PriceRuleBody } from '../../catalog/venues/price-rules.schemas.ts';
import { textOf } from '../values.ts';
import { nameKey } from './file-content.ts';
import { PREFIX } from './read-current.ts';
import { type Ids, type Plan, type ResourceInPlan, ruleChanges, type Step } from './steps.ts';

type Json = Record<string, unknown>;

/**
 * Plans the price rules of a resource. The API cannot change a rule, so a different one is created before the old one
 * is removed: one of the two always applies. Among rules of one priority the newest wins, which must be the last in the
 * file: if a rule is created again, so are later rules of its priority.
 */
export function planPriceRules(plan: Plan, { resource, existing, names, path }: ResourceInPlan): void {
  const current = existing?.rules ?? [];
  const [made, removed]: [Step[], Step[]] = [[], []];
  /** For each priority, the position of the last rule kept; infinite once a rule is created again. */
  const lastKept = new Map<number, number>();
  let namedCount = 0;
  for (const rule of resource.rules) {
    const { priority } = rule.body;
    const ofName = current.filter((each) => nameKey(each['name']) === nameKey(rule.body.name));
    const last = lastKept.get(priority) ?? -1;
    const kept = ofName.find((each) => ruleChanges(rule.body, each).length === 0 && current.indexOf(each) > last);
    lastKept.set(priority, kept === undefined ? Number.POSITIVE_INFINITY : current.indexOf(kept));
    const replaced = ofName.filter((each) => each !== kept);
    namedCount += ofName.length;
    const step = { ...names, kind: 'price rule', name: rule.body.name, line: rule.line } as const;
    const request = (ids: Ids) => ({ method: 'POST', path: `${path(ids)}/price-rules`, body: rule.body });
    if (kept === undefined) made.push({ ...step, ...creation(rule.body, replaced[0]), request });
    else if (replaced.length === 0) plan.unchanged += 1;
    removed.push(...replaced.map((old): Step => ({ ...step, ...removal(old) })));
  }
  const others = current.length - namedCount;
  if (resource.rules.length + others > MAX_PRICE_RULES) {
    const message =
      `would have ${resource.rules.length + others} price rules with the ${others} that the file does not name; ` +
      `a resource can have at most ${MAX_PRICE_RULES}`;
    plan.faults.push({ line: resource.line, subject: `${names.venue} / ${names.resource}`, path: '', message });
  }
  const hasRoom = current.length + made.length <= MAX_PRICE_RULES;
  plan.steps.push(...(hasRoom ? [...made, ...removed] : [...removed, ...made]));
}

function creation(body: PriceRuleBody, old: Json | undefined): Pick<Step, 'action' | 'changes' | 'note'> {
  if (old === undefined) return { action: 'create', changes: [] };
  const changes = ruleChanges(body, old);
  const reason =
    changes.length === 0 ? 'to come after another rule of its priority' : 'because a rule cannot be changed';
  return { action: 'change', changes, note: `created again, ${reason}` };
}

function removal(old: Json): Pick<Step, 'action' | 'changes' | 'note' | 'request'> {
  const path = `${PREFIX}/price-rules/${textOf(old['price_rule_id'])}`;
  return { action: 'remove', changes: [], note: 'the old one', request: () => ({ method: 'DELETE', path }) };
}
