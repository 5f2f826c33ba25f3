import type { Reply } from './client.ts';
import { publishedDescription } from './published-description.ts';

/** The suites of a Jest worker share the checkers (environment.cjs), because compiling them takes half a second. */
const { keptByWorker = new Map() } = globalThis as { keptByWorker?: Map<string, unknown> };
if (!keptByWorker.has('checkers')) keptByWorker.set('checkers', await loadCheckers());
const checkers = keptByWorker.get('checkers') as Awaited<ReturnType<typeof loadCheckers>>;

/** Checkers of both listeners' responses and of deliveries, which compile each schema at first use. */
async function loadCheckers() {
  const { createAnswerChecker, createDeliveryChecker } = await import('./description-checkers.ts');
  const [partner, operator] = [publishedDescription('partner'), publishedDescription('operator')];
  return {
    partner: createAnswerChecker(partner),
    operator: createAnswerChecker(operator),
    delivery: createDeliveryChecker(partner),
  };
}

/** How a delivery differs from its description; undefined if it does not. */
export function faultOfDelivery(headers: Record<string, unknown>, body: Record<string, unknown>): string | undefined {
  return checkers.delivery(headers, body);
}

/** In `scripts/upgrade.ts`, some responses are of an older release, to which this description does not apply. */
const hasTwoReleases = process.env['UPGRADE_FROM'] !== undefined;

/**
 * Checks a response of the running service, errors included, against the description of its listener.
 * @throws Error naming the call and the fault
 */
export function requireDescribed(method: string, target: string, reply: Reply): void {
  const [path = ''] = target.split('?', 1);
  if (hasTwoReleases || !/^\/(?:api\/|healthz$|readyz$)/.test(path)) return;
  const fault = checkers[isOperators(path) ? 'operator' : 'partner'](method, path, reply);
  if (fault === undefined) return;
  throw new Error(`${method} ${path} got a ${reply.status} that differs from the description: ${fault}\n${reply.text}`);
}

const isOperators = (path: string): boolean => path.startsWith('/api/v1/operator');
