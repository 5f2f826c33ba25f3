import { setTimeout as delay } from 'node:timers/promises';
import type { OperationId } from '../operation-types.ts';
import type { ActionInputs, ActionName, Result } from './actions.ts';
import { isNotRunning, isRefusal, resultOf } from './actions.ts';
import type { Fault, ProxiedCall } from './proxied-calls.ts';
import { callsOf } from './proxied-calls.ts';
import { expectThat, UnusableAnswer } from './scenario.ts';
import type { Trial } from './trial.ts';

/** How often the runner repeats an action that failed, as a customer would. */
const REPEATS = 2;
const TOLERANCE_MS = 50;

export const callsMade = ({ proxy }: Trial, operation: OperationId): ProxiedCall[] =>
  proxy.calls.filter(callsOf(operation));

/**
 * Performs an action while the first call of `operation` fails. The integration may repeat the call itself, or report
 * the failure, after which the runner repeats the action. In the end the action must succeed, with one key.
 * @throws Finding
 */
export async function doThroughFault<Name extends ActionName>(
  trial: Trial,
  operation: OperationId,
  fault: Fault,
  action: Name,
  input: ActionInputs[Name],
): Promise<Result<Name>> {
  const earlier = callsMade(trial, operation).length;
  const disarm = trial.proxy.arm({ isFor: callsOf(operation), times: 1, fault });
  try {
    for (let repeats = 0; ; repeats += 1) {
      const outcome = await tryOrFail(trial, action, input, repeats === 0);
      const hasFailed = outcome === undefined || isRefusal(outcome);
      if (hasFailed && repeats < REPEATS) {
        await delay(retryAfterSecondsOf(fault) * 1000);
        continue;
      }
      requireOneKey(callsMade(trial, operation).slice(earlier), operation, action);
      if (outcome === undefined)
        throw new UnusableAnswer(`After one failed call, ${action} failed on every repetition, too.`);
      return resultOf(action, outcome);
    }
  } finally {
    disarm();
  }
}

/** The outcome; undefined if the integration failed. @throws Unreached if it was not running before the fault */
async function tryOrFail<Name extends ActionName>(
  { integration }: Trial,
  action: Name,
  input: ActionInputs[Name],
  isFirst: boolean,
) {
  try {
    return await integration.try(action, input);
  } catch (error) {
    if (error instanceof UnusableAnswer && !(isFirst && isNotRunning(error))) return undefined;
    throw error;
  }
}

function requireOneKey(calls: readonly ProxiedCall[], operation: OperationId, action: ActionName): void {
  const keys = new Set(calls.map(({ key }) => key));
  expectThat(!keys.has(undefined), `${action} was sent without an idempotency key.`);
  expectThat(keys.size > 0, `${action} made no call ${operation}.`);
  expectThat(
    keys.size === 1,
    `${action} was repeated with another idempotency key: ${keys.size} keys in ${calls.length} calls.`,
  );
}

/** @throws Finding unless the call was repeated at least `seconds` after the faulted one */
export function requireWait(trial: Trial, operation: OperationId, seconds: number): void {
  const calls = callsMade(trial, operation);
  const [first, second] = calls.slice(calls.findLastIndex(({ isFaulted }) => isFaulted));
  expectThat(first !== undefined && second !== undefined, `The call ${operation} was not repeated.`);
  const waitedMs = second.atMs - first.atMs;
  expectThat(
    waitedMs >= seconds * 1000 - TOLERANCE_MS,
    `The call was repeated after ${Math.round(waitedMs)} ms, where Retry-After had said ${seconds} s.`,
  );
}

function retryAfterSecondsOf(fault: Fault): number {
  return fault.kind === 'answer' ? Number(fault.headers?.['retry-after'] ?? 0) : 0;
}

export const errorBody = (code: string, message: string) => ({
  success: false,
  error: { code, message, request_id: 'certification' },
});
