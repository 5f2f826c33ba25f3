import type { Reply } from './client.ts';
import type { AnswerChecker, createDeliveryChecker } from './description-checkers.ts';
import { type Listener, publishedDescription } from './published-description.ts';

type Checkers = {
  listener: (which: Listener) => AnswerChecker;
  delivery: () => ReturnType<typeof createDeliveryChecker>;
};

/** The suites of a Jest worker share the checkers (environment.cjs), because compiling them takes half a second. */
const { keptByWorker = new Map() } = globalThis as { keptByWorker?: Map<string, unknown> };
if (!keptByWorker.has('checkers')) keptByWorker.set('checkers', await loadCheckers());
const checkers = keptByWorker.get('checkers') as Checkers;

async function loadCheckers(): Promise<Checkers> {
  const { createAnswerChecker, createDeliveryChecker } = await import('./description-checkers.ts');
  const listeners = new Map<Listener, AnswerChecker>();
  let delivery: ReturnType<typeof createDeliveryChecker> | undefined;
  return {
    listener: (which) => {
      const checker = listeners.get(which) ?? createAnswerChecker(publishedDescription(which));
      listeners.set(which, checker);
      return checker;
    },
    delivery: () => {
      delivery ??= createDeliveryChecker(publishedDescription('partner'));
      return delivery;
    },
  };
}

/** How a delivery differs from its description; undefined if it does not. */
export function faultOfDelivery(headers: Record<string, unknown>, body: Record<string, unknown>): string | undefined {
  return checkers.delivery()(headers, body);
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
  const fault = checkers.listener(isOperators(path) ? 'operator' : 'partner')(method, path, reply);
  if (fault === undefined) return;
  throw new Error(`${method} ${path} got a ${reply.status} that differs from the description: ${fault}\n${reply.text}`);
}

const isOperators = (path: string): boolean => path.startsWith('/api/v1/operator');
