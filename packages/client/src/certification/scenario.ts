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

/** No usable answer to an action: none in time, a status other than 200, or another shape. */
export class UnusableAnswer extends Finding {}

/** No connection, no such program, or the connection broke off before the answer. */
export class Unreached extends UnusableAnswer {}

/** The scenario could not be tried; the message says what the sandbox lacks. */
export class NotTried extends Error {
  override readonly name = 'NotTried';
}

/** @throws Finding with `seen` unless `holds` */
export function expectThat(holds: boolean, seen: string): asserts holds {
  if (!holds) throw new Finding(seen);
}
