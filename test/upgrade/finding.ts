import { appendFileSync } from 'node:fs';
import type { TradingFigures } from '../faults/trading.ts';

/** What an upgrade and the way back found: which part was replaced first, how many processes were, and how the calls went meanwhile. */
export type UpgradeFinding = TradingFigures & { first: string; replaced: number };

/** Where the findings of a run are collected, a line of JSON each; `npm run test:upgrade` asks for it. */
const FINDINGS = process.env['UPGRADE_FINDINGS'];

/** Notes what was found, once nothing was lost and nothing happened twice. */
export function noteFinding(finding: UpgradeFinding): void {
  if (FINDINGS !== undefined) appendFileSync(FINDINGS, `${JSON.stringify(finding)}\n`);
}
