import type { Trial } from './trial.ts';

/** From reading to receiving: each level asks more than the one before. */
export type Level = 1 | 2 | 3 | 4 | 5 | 6;

/** One thing that an integration must do, with what it takes to see whether it does. */
export type Scenario = {
  id: string;
  level: Level;
  title: string;
  /** What to fix where it fails, for the developer of the integration. */
  remedy: string;
  /** Resolves where the integration does it. @throws Finding where it does not, NotTried where the sandbox lacks what it takes */
  run(trial: Trial): Promise<void>;
};

/** What was seen of an integration that it must not do. */
export class Finding extends Error {
  override readonly name = 'Finding';
}

/** The integration gave no usable answer to an action: none in time, another status than 200, or a result of another shape. */
export class UnusableAnswer extends Finding {}

/** Nothing took the action: no connection, or no such program; or the connection broke off before the answer. */
export class Unreached extends UnusableAnswer {}

/** The scenario could not be tried; the message says what the sandbox lacks. */
export class NotTried extends Error {
  override readonly name = 'NotTried';
}

/** @throws Finding that says what was seen, unless `holds` */
export function expectThat(holds: boolean, seen: string): asserts holds {
  if (!holds) throw new Finding(seen);
}
