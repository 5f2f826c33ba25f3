import type { Report, ScenarioReport } from '../certification/report.ts';
import { PROVES } from '../certification/report.ts';
import type { Scenario } from '../certification/scenario.ts';
import { SCENARIOS } from '../certification/scenarios.ts';
import type { World } from './world.ts';
import { painted, printable, writeJson, writeLine } from './world.ts';

const MARKS = {
  passed: { paint: 'green', word: 'passed   ' },
  failed: { paint: 'red', word: 'FAILED   ' },
  not_tried: { paint: 'yellow', word: 'not tried' },
} as const;

/** One line for a scenario that was tried. */
export function writeProgress(world: World, { level, id, outcome, duration_ms: ms }: ScenarioReport): void {
  const { paint, word } = MARKS[outcome];
  writeLine(world.err, `${painted(world, world.err, paint, word)} ${level} ${id} (${ms} ms)`);
}

/** What is open of the chosen scenarios, with what to fix, then the verdict and what it proves. */
export function writeVerdict(world: World, report: Report, isChosen: (scenario: Scenario) => boolean): void {
  const { out } = world;
  const chosen = SCENARIOS.filter(isChosen).map(({ id }) => id);
  const open = report.scenarios.filter(({ id, outcome }) => chosen.includes(id) && outcome !== 'passed');
  for (const { id, level, title, outcome, finding, remedy } of open) {
    const { paint, word } = MARKS[outcome];
    writeLine(out, `${painted(world, out, paint, word.trim())} ${level} ${id}: ${title}`);
    if (finding !== null) writeLine(out, `  Seen: ${printable(finding)}`);
    if (remedy !== null) writeLine(out, `  Fix:  ${remedy}`);
    writeLine(out);
  }
  const { passed, failed, not_tried: notTried } = report.summary;
  const paint = report.verdict === 'passed' ? 'green' : report.verdict === 'failed' ? 'red' : 'yellow';
  const verdict = painted(world, out, paint, report.verdict);
  writeLine(
    out,
    `${printable(report.integration)}: ${verdict} (${passed} passed, ${failed} failed, ${notTried} not tried)`,
  );
  writeLine(out, PROVES[report.mode]);
}

export function listScenarios(world: World, scenarios: readonly Scenario[], isJson: boolean): void {
  const rows = scenarios.map(({ id, level, title, remedy }) => ({ id, level, title, remedy }));
  if (isJson) writeJson(world.out, rows);
  else for (const { id, level, title } of rows) writeLine(world.out, `${level} ${id.padEnd(30)} ${title}`);
}
