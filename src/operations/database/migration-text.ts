import { isDue, type Plan, type StepStatus } from './migration-plan.service.ts';

/** The steps and their states as a table, and the state of the collections. */
export function statusText({ structure, isNewer, changes, steps }: Plan): string {
  const rows = steps.map(({ version, name, state, finishedAt }) => [
    String(version),
    name,
    stateText(state),
    finishedAt?.toISOString().slice(0, 19).concat('Z') ?? '-',
  ]);
  const missing = changes.reduce((sum, { parts }) => sum + parts.length, 0);
  const origin = structure === null ? 'no release recorded' : `of ${structure.release}`;
  return [
    ...table([['version', 'name', 'state', 'when'], ...rows]),
    '',
    `Collections, validators and indexes: ${origin}.`,
    missing === 0 ? 'None is missing.' : `${missing} missing or different: --dry-run lists them.`,
    ...(isNewer ? [NEWER] : []),
  ].join('\n');
}

export function dryRunText({ isNewer, changes, steps }: Plan): string {
  if (isNewer) return NEWER;
  const lines = [
    ...changes.flatMap(({ collection, parts }) => parts.map((part) => `${collection}: ${part}`)),
    ...steps.filter(({ state }) => isDue(state)).map(stepLine),
  ];
  return lines.length === 0 ? 'Nothing would be changed.' : ['Would change:', ...lines].join('\n  ');
}

const NEWER = 'A newer release has migrated this database. This release would change nothing.';

const stepLine = ({ version, name, state }: StepStatus) =>
  `step ${version}, ${name}: ${state.count} ${state.count === 1 ? 'row or index' : 'rows or indexes'}${state.name === 'unfinished' ? ' left' : ''}`;

const stateText = (state: StepStatus['state']) => (isDue(state) ? `${state.name} (${state.count})` : state.name);

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths?.[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
