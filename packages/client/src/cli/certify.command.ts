import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { htmlReport } from '../certification/html-report.ts';
import type { Profile } from '../certification/profile.ts';
import { ProfileError, parseProfile } from '../certification/profile.ts';
import type { Report, ScenarioReport } from '../certification/report.ts';
import { PROOF_NOTES } from '../certification/report.ts';
import { certify } from '../certification/runner.ts';
import type { Scenario } from '../certification/scenario.ts';
import { LEVELS, SCENARIOS } from '../certification/scenarios.ts';
import { CannotBegin } from '../certification/subject.ts';
import { CommandError, EXIT, interruption, usageError } from './command-error.ts';
import type { GlobalOptions } from './connection.ts';
import { withService } from './connection.ts';
import { requireWritable, writeReport } from './report-files.ts';
import type { World } from './world.ts';
import { painted, printable, writeJson, writeLine } from './world.ts';

type Options = GlobalOptions & {
  profile?: string;
  service?: boolean;
  only?: string;
  level?: string;
  reportJson?: string;
  reportHtml?: string;
  list?: boolean;
};

const EPILOGUE = `
Exit codes of certify: 0 if every chosen scenario passed, 1 if one failed, and
3 if one could not be tried, or the sandbox or integration was not reached.
The guide is /docs/certification of the service.`;

export function addCertify(program: Command, world: World): void {
  const command = program
    .command('certify')
    .description('Test your integration against a sandbox, scenario by scenario, with injected faults.')
    .option('--profile <file>', 'the JSON file that describes the integration and its actions')
    .option('--service', 'test the deployment itself with a built-in integration')
    .option('--only <ids>', 'only these scenarios, separated by commas')
    .option('--level <number>', 'only the scenarios of this level, 1 to 6')
    .option('--report-json <file>', 'write the report as JSON, for the operator')
    .option('--report-html <file>', 'write the report as a page')
    .option('--list', 'list the scenarios and run none')
    .addHelpText('after', EPILOGUE)
    .action(async () => {
      const options = command.optsWithGlobals<Options>();
      const isChosen = chosenBy(options);
      if (options.list === true) return listScenarios(world, SCENARIOS.filter(isChosen), options.json === true);
      const subject = await subjectOf(options);
      const jsonFile = ['--report-json', options.reportJson] as const;
      const htmlFile = ['--report-html', options.reportHtml] as const;
      const inputFiles = [['--profile', options.profile] as const, ['--key-file', options.keyFile] as const];
      await requireWritable([jsonFile, htmlFile], inputFiles);
      const report = await withService(command, world, async ({ baseUrl, apiKey, client }) => {
        const signal = world.interrupted;
        // The runner does not check which program responds at the address; `client` does.
        await client.getMe({}, { signal });
        const onEnd = (each: ScenarioReport) => writeProgress(world, each);
        return certify({ baseUrl, apiKey, subject, isChosen, signal, onEnd }).catch((failure: unknown) => {
          throw asCommandFailure(failure);
        });
      });
      if (options.json === true) writeJson(world.out, report);
      else writeVerdict(world, report, isChosen);
      await writeReport(jsonFile, `${JSON.stringify(report, null, 2)}\n`);
      await writeReport(htmlFile, htmlReport(report));
      endWith(world, report, isChosen);
    });
}

function chosenBy({ only, level }: Options): (scenario: Scenario) => boolean {
  const ids = only?.split(',').map((id) => id.trim());
  const unknown = ids?.filter((id) => !SCENARIOS.some((scenario) => scenario.id === id)) ?? [];
  if (unknown.length > 0)
    throw usageError(`--only: there is no scenario ${unknown.join(', ')}. partner certify --list shows all.`);
  if (level !== undefined && !Object.hasOwn(LEVELS, level))
    throw usageError(`--level: ${level} is not a level. Give a number from 1 to 6.`);
  const isChosen = (scenario: Scenario) =>
    (ids?.includes(scenario.id) ?? true) && (level === undefined || scenario.level === Number(level));
  if (!SCENARIOS.some(isChosen))
    throw usageError(`--only, --level: none of the given scenarios is of level ${level}. Leave one option out.`);
  return isChosen;
}

async function subjectOf({ profile, service = false }: Options) {
  if (service && profile !== undefined)
    throw usageError('--service tries the deployment and takes no --profile. Leave one of them out.');
  if (service) return { mode: 'service' } as const;
  if (profile === undefined)
    throw usageError('--profile: name the file that describes your integration, or give --service.');
  return { mode: 'partner', profile: await readProfile(profile) } as const;
}

async function readProfile(file: string): Promise<Profile> {
  const text = await readFile(file, 'utf8').catch((failure: NodeJS.ErrnoException) => {
    throw usageError(`--profile: ${file} cannot be read (${failure.code ?? 'unknown reason'}).`);
  });
  try {
    return parseProfile(text);
  } catch (failure) {
    throw failure instanceof ProfileError ? usageError(`--profile: ${file}: ${failure.message}`) : failure;
  }
}

function asCommandFailure(failure: unknown): unknown {
  if (failure instanceof ProfileError) return usageError(failure.message);
  return failure instanceof CannotBegin ? new CommandError(failure.message, EXIT.unreachable, failure) : failure;
}

function endWith(world: World, { scenarios }: Report, isChosen: (scenario: Scenario) => boolean): void {
  if (world.interrupted.aborted) throw interruption();
  const chosen = SCENARIOS.filter(isChosen).map(({ id }) => id);
  const outcomes = scenarios.filter(({ id }) => chosen.includes(id)).map(({ outcome }) => outcome);
  if (outcomes.includes('failed')) throw new CommandError('', EXIT.refused);
  if (outcomes.includes('not_tried')) throw new CommandError('', EXIT.unreachable);
}

const MARKS = {
  passed: { paint: 'green', word: 'passed   ' },
  failed: { paint: 'red', word: 'FAILED   ' },
  not_tried: { paint: 'yellow', word: 'not tried' },
} as const;

function writeProgress(world: World, { level, id, outcome, duration_ms: ms }: ScenarioReport): void {
  const { paint, word } = MARKS[outcome];
  writeLine(world.err, `${painted(world, world.err, paint, word)} ${level} ${id} (${ms} ms)`);
}

/** Writes the scenarios that did not pass, with their fixes, then the verdict. */
function writeVerdict(world: World, report: Report, isChosen: (scenario: Scenario) => boolean): void {
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
  writeLine(out, PROOF_NOTES[report.mode]);
}

function listScenarios(world: World, scenarios: readonly Scenario[], isJson: boolean): void {
  const rows = scenarios.map(({ id, level, title, remedy }) => ({ id, level, title, remedy }));
  if (isJson) writeJson(world.out, rows);
  else for (const { id, level, title } of rows) writeLine(world.out, `${level} ${id.padEnd(30)} ${title}`);
}
