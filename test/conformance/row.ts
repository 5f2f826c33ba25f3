import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '../architecture/planted-tree.ts';
import type { Internals } from './internals.ts';
import type { World } from './world.ts';

const contract = readFileSync(path.join(projectFolder, 'docs/contract.md'), 'utf8');

/** The names of the rules that docs/contract.md states, in its order. */
export const RULES: readonly string[] = [...contract.matchAll(/^- \*\*`([^`]+)`\*\*/gm)].map(([, name = '']) => name);

/** A check that the service keeps a rule of the contract. Rows share nothing but the service. */
export type Row = {
  /** Names in docs/contract.md: the rule that the row is about first, then what else it shows. */
  rules: readonly [string, ...string[]];
  /** What the row shows of the rule. */
  title: string;
  /**
   * The responses that the row is about, such as `POST /api/v1/bookings/confirm 409 HOLD_EXPIRED`: each must be seen while the
   * row runs.
   */
  endpoints: readonly string[];
} & (
  | { needs?: never; check: (world: World) => Promise<void> }
  /** HTTP alone cannot show this: it needs settings, rows or logs that only the tests' own service has. */
  | { needs: 'internals'; check: (world: World, internals: Internals) => Promise<void> }
);

/** Thrown where a row cannot be tried on this deployment; the message says what is missing. */
export class NotTried extends Error {}
