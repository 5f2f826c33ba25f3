import type { Success } from '../operation-types.ts';
import { spokenSeconds } from './spoken-time.ts';

type Given = { me: Success<'getMe'>; observability: Success<'getObservability'>; now: Date };

/** From so many failures in a row on, the service sends an endpoint few deliveries at a time. */
const FAILING_FROM = 3;
/** Time enough to ask the operator for another key and to bring it out. */
const KEY_NOTICE_SECONDS = 14 * 86_400;

/** What somebody has to do something about, with what to do. */
export function findingsOf({ me, observability, now }: Given): string[] {
  const deadLetters = observability.subscriptions.reduce((sum, each) => sum + each.dead_letter, 0);
  return [
    ...keyFindings(me, now),
    ...(me.venues.length > 0 ? [] : ['No venue is granted to you: ask the operator for one.']),
    ...observability.subscriptions.flatMap(({ id, status, consecutive_failures: failures }) => {
      if (status !== 'active')
        return [`Subscription ${id} is ${status}: ask the operator to resume its deliveries.`];
      if (failures < FAILING_FROM) return [];
      return [`Subscription ${id} has failed ${failures} times in a row: check what its endpoint responds.`];
    }),
    ...(deadLetters === 0
      ? []
      : [`${deadLetters} deliveries are dead letters: repair the endpoint, then redeliver them.`]),
  ];
}

function keyFindings({ key }: Success<'getMe'>, now: Date): string[] {
  if (key.expires_at === null) return [];
  const seconds = (Date.parse(key.expires_at) - now.getTime()) / 1000;
  if (seconds > KEY_NOTICE_SECONDS) return [];
  return [`The key expires in ${spokenSeconds(Math.max(0, seconds))}: ask the operator for another one.`];
}
