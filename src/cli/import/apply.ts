import type { CallApi } from '../client.ts';
import { CommandError } from '../failure.ts';
import type { Plan, Step } from './steps.ts';

/** How far an import came. */
export type Outcome = {
  done: Step[];
  /** Why it stopped: a refusal of the step, or the wish of the user. */
  stopped?: { step: Step | undefined; reason: string; mayBeDone: boolean };
  notDone: Step[];
};

/** Carries out the steps in order, each one call; stops at the first that does not succeed, or when asked to. */
export async function applyPlan(
  { steps, ids }: Plan,
  call: CallApi,
  interrupted: AbortSignal,
  onStep: (step: Step, doneCount: number) => void,
): Promise<Outcome> {
  for (const [index, step] of steps.entries()) {
    const done = steps.slice(0, index);
    if (interrupted.aborted) {
      const stopped = { step: undefined, reason: 'Interrupted.', mayBeDone: false };
      return { done, stopped, notDone: steps.slice(index) };
    }
    onStep(step, index);
    try {
      const answer = await call(step.request(ids));
      step.learn?.(answer, ids);
    } catch (err) {
      if (!(err instanceof CommandError)) throw err;
      const mayBeDone = Reflect.get(err, 'mayBeDone') === true;
      return { done, stopped: { step, reason: err.message, mayBeDone }, notDone: steps.slice(index) };
    }
  }
  return { done: steps, notDone: [] };
}
