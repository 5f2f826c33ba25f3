import type { Trial } from './trial.ts';

/** Each level requires more than the previous one. */
export type Level = 1 | 2 | 3 | 4 | 5 | 6;

export type Scenario = {
  id: string;
  level: Level;
  title: string;
  /** The fix, for the integration's developer. */
  remedy: string;
  /** @throws Finding if the integration fails, NotTried if the sandbox lacks a prerequisite */
  run(trial: Trial): Promise<void>;
};

export class Finding extends Error {
  override readonly name = 'Finding';
}

/** The integration gave no usable answer to an action: late, with a status other than 200, or in a wrong shape. */
export class UnusableAnswer extends Finding {}

/** The integration gave no answer: no connection, no such program, or a broken connection. */
export class Unreached extends UnusableAnswer {}

/** The scenario could not be tried; the message says what the sandbox lacks. */
export class NotTried extends Error {
  override readonly name = 'NotTried';
}

/** @throws Finding with `finding` unless `condition` holds */
export function expectThat(condition: boolean, finding: string): asserts condition {
  if (!condition) throw new Finding(finding);
}
