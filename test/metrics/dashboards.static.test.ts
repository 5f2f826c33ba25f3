import { describe, expect, test } from '@jest/globals';
import type { DashboardFile } from './dashboards.ts';
import { DASHBOARDS, readDashboard } from './dashboards.ts';

const dashboards = await Promise.all(DASHBOARDS.map(readDashboard));

type PanelFile = DashboardFile['panels'][number];

/** What a reader of a dashboard would miss, or trip over. */
function faultsOf({ panels, templating }: DashboardFile): string[] {
  const ids = new Set(panels.map(({ id }) => id));
  const variables = new Set(templating.list.map(({ name }) => name));
  return [
    ...(ids.size === panels.length ? [] : ['an id comes twice']),
    ...(panels.length > 12 ? ['more than 12 panels'] : []),
    ...panels.flatMap((panel) => [
      ...(panel.title.length > 2 ? [] : [`${panel.id}: no title`]),
      ...(panel.description.length > 15 ? [] : [`${panel.title}: no description`]),
      ...(panel.fieldConfig.defaults.unit === '' ? [`${panel.title}: no unit`] : []),
      ...(panels.some((other) => other.id !== panel.id && overlap(panel, other))
        ? [`${panel.title}: lies over another`]
        : []),
      ...variablesOf(panel)
        .filter((name) => !variables.has(name))
        .map((name) => `${panel.title}: no variable ${name}`),
    ]),
  ];
}

function overlap({ gridPos: a }: PanelFile, { gridPos: b }: PanelFile): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/** Those that Grafana has by itself left out. */
function variablesOf(panel: PanelFile): string[] {
  return [...JSON.stringify(panel).matchAll(/\$\{?(\w+)/g)]
    .map(([, name = '']) => name)
    .filter((name) => !name.startsWith('__'));
}

test.each(dashboards.map((dashboard) => ({ title: dashboard.title, dashboard })))(
  '$title has titles, descriptions, units and variables for all it shows',
  ({ dashboard }) => {
    expect(faultsOf(dashboard)).toEqual([]);
  },
);

test('each has a uid and a title of its own, by which others link to it', () => {
  expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(DASHBOARDS.length);
  expect(new Set(dashboards.map(({ title }) => title)).size).toBe(DASHBOARDS.length);
});

describe('control: it is noticed that', () => {
  const [whole] = dashboards as [DashboardFile];
  const [first, second] = whole.panels as [PanelFile, PanelFile];
  const withFirst = (panel: PanelFile): DashboardFile => ({
    ...whole,
    panels: [panel, ...whole.panels.slice(1)],
  });

  test.each([
    ['an id comes twice', withFirst({ ...first, id: second.id })],
    ['1: no title', withFirst({ ...first, title: '' })],
    [`${first.title}: no description`, withFirst({ ...first, description: '' })],
    [`${first.title}: no unit`, withFirst({ ...first, fieldConfig: { defaults: { unit: '' } } })],
    [`${first.title}: lies over another`, withFirst({ ...first, gridPos: second.gridPos })],
    [
      `${first.title}: no variable instnce`,
      withFirst({ ...first, targets: [{ expr: 'up{instance=~"$instnce"}', legendFormat: '' }] }),
    ],
  ])('%s', (fault, dashboard) => {
    expect(faultsOf(dashboard)).toContain(fault);
  });
});
