import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { NOUNS } from '../../src/cli/commands.ts';
import { ALERT_KINDS } from '../../src/operations/alerts/alert-types.ts';
import { projectFolder } from '../architecture/planted-tree.ts';
import { readDocument } from './documents.ts';

const read = (file: string) => readFileSync(path.join(projectFolder, file), 'utf8');
const page = await readDocument('docs/operations.md');

type Rule = { alert: string; expr: string };
const { groups } = parse(read('deploy/prometheus/rules.yml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/** The alerts that have a section on a page: its headings of level 3. */
const alertsOf = (text: string) =>
  [...text.matchAll(/^### (.+)$/gm)].flatMap(([, heading = '']) => heading.split(', '));

/** Commands in a text that do not exist: operator commands, and scripts of package.json. */
function unknownCommands(text: string): string[] {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const known = new Set(
    Object.entries(NOUNS).flatMap(([noun, { verbs }]) => Object.keys(verbs).map((verb) => `${noun} ${verb}`)),
  );
  const operator = [...text.matchAll(/(?:npm run operator --|cli\/operator\.js) ([a-z-]+ [a-z-]+)/g)].map(
    ([, command = '']) => command,
  );
  const run = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => script);
  return [...operator.filter((each) => !known.has(each)), ...run.filter((each) => !(each in scripts))];
}

test('every alert of the rules and of the service has a section, and every section an alert', () => {
  const sections = alertsOf(page.text);
  expect(sections.toSorted()).toEqual([...rules.map(({ alert }) => alert), ...ALERT_KINDS].toSorted());
});

test('every command on the page exists', () => {
  expect(unknownCommands(page.text)).toEqual([]);
});

test('the rule about the heap has the processes’ heap limit', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const [, limit] = /--max-old-space-size=(\d+)/.exec(scripts['start:api'] ?? '') ?? [];
  const { expr } = rules.find(({ alert }) => alert === 'BookingHeapNearLimit') ?? { expr: '' };
  expect(expr).toContain(`* ${limit} * 1024 * 1024`);
});
