import type { Reply } from './client.ts';
import type { AnswerChecker, createDeliveryChecker } from './description-checkers.ts';
import { type Listener, publishedDescription } from './published-description.ts';

type Checkers = {
  listener: (which: Listener) => AnswerChecker;
  delivery: () => ReturnType<typeof createDeliveryChecker>;
};

/** What the suites of a worker of Jest share (environment.cjs); to compile these takes each half a second. */
const { keptByWorker = new Map() } = globalThis as { keptByWorker?: Map<string, unknown> };
if (!keptByWorker.has('checkers')) keptByWorker.set('checkers', await loadCheckers());
const checkers = keptByWorker.get('checkers') as Checkers;

async function loadCheckers(): Promise<Checkers> {
  const { createAnswerChecker, createDeliveryChecker } = await import('./description-checkers.ts');
  const listeners = new Map<Listener, AnswerChecker>();
  let delivery: ReturnType<typeof createDeliveryChecker> | undefined;
  return {
    listener: (which) => {
      const made = listeners.get(which) ?? createAnswerChecker(publishedDescription(which));
      listeners.set(which, made);
      return made;
    },
    delivery: () => {
      delivery ??= createDeliveryChecker(publishedDescription('partner'));
      return delivery;
    },
  };
}

/** What is wrong with a delivery of the running service by its description; undefined where nothing is. */
export function faultOfDelivery(headers: Record<string, unknown>, body: Record<string, unknown>): string | undefined {
  return checkers.delivery()(headers, body);
}

/** `node --import tsx scripts/upgrade.ts`: responses are of a former release too, which the description of this one does not describe. */
const isOfTwoReleases = process.env['UPGRADE_FROM'] !== undefined;

/**
 * Holds a response of the running service to the description of its listener, errors included.
 * @throws Error naming the call and the fault.
 */
export function requireDescribed(method: string, target: string, reply: Reply): void {
  const [path = ''] = target.split('?', 1);
  if (isOfTwoReleases || !/^\/(?:api\/|healthz$|readyz$)/.test(path)) return;
  const fault = checkers.listener(isOperators(path) ? 'operator' : 'partner')(method, path, reply);
  if (fault === undefined) return;
  throw new Error(`${method} ${path} answered ${reply.status} otherwise than described: ${fault}\n${reply.text}`);
}

const isOperators = (path: string): boolean => path.startsWith('/api/v1/operator');
