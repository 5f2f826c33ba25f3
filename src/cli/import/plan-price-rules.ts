import { MAX_PRICE_RULES } from '../../catalog/venues/price-rule-limit.rules.ts';
import type { PriceRuleBody } from '../../catalog/venues/price-rules.schemas.ts';
import { type Json, textOf } from '../values.ts';
import { nameKey } from './file-content.ts';
import { PREFIX } from './read-current.ts';
import { type Ids, type Plan, type ResourceInPlan, ruleChanges, type Step } from './steps.ts';

/**
 * Plans the price rules of a resource. The API cannot change a rule, so a different one is created before the old one
 * is removed: one of the two always applies. Only if the resource has no room for both, the old one is removed first.
 * Among rules of one priority the newest wins, and this must be the file's last one. A rule that is created again
 * becomes the newest, so later rules of its priority are created again too.
 */
export function planPriceRules(plan: Plan, { resource, existing, names, path }: ResourceInPlan): void {
  const current = existing?.rules ?? [];
  const [creations, removals]: [Step[], Step[]] = [[], []];
  /** By priority, the position in `current` of the last rule kept; infinite once a rule is created. */
  const lastKept = new Map<number, number>();
  let namedCount = 0;
  for (const rule of resource.rules) {
    const { priority } = rule.body;
    const sameName = current.filter((each) => nameKey(each['name']) === nameKey(rule.body.name));
    const last = lastKept.get(priority) ?? -1;
    const kept = sameName.find((each) => ruleChanges(rule.body, each).length === 0 && current.indexOf(each) > last);
    lastKept.set(priority, kept === undefined ? Number.POSITIVE_INFINITY : current.indexOf(kept));
    const replaced = sameName.filter((each) => each !== kept);
    namedCount += sameName.length;
    const step = { ...names, kind: 'price rule', name: rule.body.name, line: rule.line } as const;
    const request = (ids: Ids) => ({ method: 'POST', path: `${path(ids)}/price-rules`, body: rule.body });
    if (kept === undefined) creations.push({ ...step, ...creation(rule.body, replaced[0]), request });
    else if (replaced.length === 0) plan.unchanged += 1;
    removals.push(...replaced.map((old): Step => ({ ...step, ...removal(old) })));
  }
  const otherCount = current.length - namedCount;
  if (resource.rules.length + otherCount > MAX_PRICE_RULES) {
    const message =
      `would have ${resource.rules.length + otherCount} price rules with the ${otherCount} that the file does not name; ` +
      `a resource can have at most ${MAX_PRICE_RULES}`;
    plan.faults.push({ line: resource.line, subject: `${names.venue} / ${names.resource}`, path: '', message });
  }
  const hasRoom = current.length + creations.length <= MAX_PRICE_RULES;
  plan.steps.push(...(hasRoom ? [...creations, ...removals] : [...removals, ...creations]));
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
