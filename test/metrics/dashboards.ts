import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { projectFolder } from '../architecture/planted-tree.ts';

/** File names in deploy/grafana. */
export const DASHBOARDS = ['service', 'deliveries', 'processes', 'database'] as const;

export type DashboardFile = {
  uid: string;
  title: string;
  annotations: { list: { expr: string }[] };
  templating: { list: { name: string }[] };
  panels: {
    id: number;
    type: string;
    title: string;
    description: string;
    gridPos: { x: number; y: number; w: number; h: number };
    fieldConfig: { defaults: { unit: string } };
    links?: { url: string }[];
    targets: { expr: string; legendFormat: string }[];
  }[];
};

export async function readDashboard(name: string): Promise<DashboardFile> {
  return JSON.parse(
    await readFile(path.join(projectFolder, 'deploy/grafana', `${name}.json`), 'utf8'),
  ) as DashboardFile;
}

export function expressionsOf({ panels }: DashboardFile): string[] {
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}
