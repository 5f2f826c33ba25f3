import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '../architecture/planted-tree.ts';
import type { Internals } from './internals.ts';
import type { World } from './world.ts';

const contract = readFileSync(path.join(projectFolder, 'docs/contract.md'), 'utf8');

/** The names of the rules in docs/contract.md, in its order. */
export const RULES: readonly string[] = [...contract.matchAll(/^- \*\*`([^`]+)`\*\*/gm)].map(([, name = '']) => name);

/** A check that the service follows a rule of the contract. Rows share only the service. */
export type Row = {
  /** Names in docs/contract.md: first the main rule of the row, then others that it also shows. */
  rules: readonly [string, ...string[]];
  /** The part of the rule that the row shows. */
  title: string;
  /**
   * The documented responses that the row must see, such as `POST /api/v1/bookings/confirm 409 HOLD_EXPIRED`. A row
   * omits those that its check asserts, if another row names them.
   */
  responses?: readonly string[];
} & (
  | { needs?: never; check: (world: World) => Promise<void> }
  /** Needs more than HTTP: settings, database rows or logs, which only the tests' own service gives. */
  | { needs: 'internals'; check: (world: World, internals: Internals) => Promise<void> }
);

/** The deployment lacks something that the row needs; the message says what. */
export class NotTried extends Error {}
