import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { projectFolder } from '../architecture/planted-tree.ts';

export const PROMETHEUS_FOLDER = path.join(projectFolder, 'deploy/prometheus');

export type Rule = { alert: string; expr: string; for?: string; labels: { severity: string } };

/** The rule groups of Prometheus. */
export async function readRules(): Promise<{ groups: { name: string; rules: Rule[] }[] }> {
  return parse(await readFile(path.join(PROMETHEUS_FOLDER, 'rules.yml'), 'utf8')) as Awaited<
    ReturnType<typeof readRules>
  >;
}

/** File names in deploy/grafana. */
export const DASHBOARDS = ['service', 'deliveries', 'processes', 'database'] as const;

/** The expressions of all panels of a dashboard. */
export async function readExpressions(dashboard: string): Promise<string[]> {
  const file = await readFile(path.join(projectFolder, 'deploy/grafana', `${dashboard}.json`), 'utf8');
  const { panels } = JSON.parse(file) as { panels: { targets: { expr: string }[] }[] };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}
