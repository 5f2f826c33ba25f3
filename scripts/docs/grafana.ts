export type Panel = {
  title: string;
  description: string;
  /** Grafana's name of the unit: `reqps`, `s`, `percentunit`, `bytes`, `short`. */
  unit: string;
  queries: readonly Query[];
  /** Shows one figure instead of a graph. */
  isStat?: true;
  /** Values ≥ `at` are bad, or with `below` values < `at`. `at` is the threshold of the panel's alert, if any. */
  threshold?: { at: number; below?: true };
  /** Anchor in docs/operations.md. */
  runbook?: string;
};

/** Set `color` only for a meaning. By default Grafana derives it from the legend, the same on every panel. */
type Query = { legend: string; expr: string; color?: 'green' | 'orange' | 'red' | 'blue' | 'purple' };

export type Dashboard = { uid: string; title: string; description: string; panels: readonly Panel[] };

const SOURCE = { type: 'prometheus', uid: '${datasource}' };
const TAG = 'partner-booking';
const STATS_A_ROW = 4;
const GRAPHS_A_ROW = 2;
const COLUMNS = 24;
const STAT_HEIGHT = 4;
const GRAPH_HEIGHT = 8;

/** The JSON for Grafana 10 or newer: one row of single figures, then two graphs per row. */
export function dashboardJson({ uid, title, description, panels }: Dashboard): string {
  const document = {
    uid,
    title,
    description,
    tags: [TAG],
    schemaVersion: 39,
    editable: false,
    timezone: 'browser',
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    graphTooltip: 1,
    links: [
      {
        type: 'dashboards',
        title: 'Partner Booking',
        tags: [TAG],
        asDropdown: true,
        includeVars: true,
        keepTime: true,
      },
    ],
    annotations: { list: [firingAlerts] },
    templating: { list: variables },
    panels: panels.map((panel, index) => panelJson(panel, index + 1, positionOf(panels, panel))),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const firingAlerts = {
  name: 'Firing alerts',
  datasource: SOURCE,
  enable: true,
  iconColor: 'red',
  expr: 'ALERTS{alertname=~"Booking.+",alertstate="firing",namespace=~"$namespace"}',
  titleFormat: '{{alertname}}',
};

const queryVariable = (name: string, label: string, query: string, allValue: string) => ({
  type: 'query',
  name,
  label,
  datasource: SOURCE,
  query,
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue,
  current: { text: ['All'], value: ['$__all'] },
});

const variables = [
  { type: 'datasource', name: 'datasource', label: 'Data source', query: 'prometheus' },
  // `.*` also matches a deployment without the label `namespace`.
  queryVariable('namespace', 'Namespace', 'label_values(up{job=~"partner-booking-.+"}, namespace)', '.*'),
  queryVariable('job', 'Job', 'label_values(up{job=~"partner-booking-.+"}, job)', 'partner-booking-.+'),
  queryVariable('instance', 'Instance', 'label_values(up{namespace=~"$namespace",job=~"$job"}, instance)', '.+'),
  {
    type: 'textbox',
    name: 'runbooks',
    label: 'Address of docs/',
    query: '/docs',
    current: { text: '/docs', value: '/docs' },
  },
];

type GridPosition = { x: number; y: number; w: number; h: number };

function positionOf(panels: readonly Panel[], panel: Panel): GridPosition {
  const isStat = panel.isStat === true;
  const index = panels.filter((each) => each.isStat === panel.isStat).indexOf(panel);
  const [perRow, height] = isStat ? [STATS_A_ROW, STAT_HEIGHT] : [GRAPHS_A_ROW, GRAPH_HEIGHT];
  const width = COLUMNS / perRow;
  const top = isStat ? 0 : STAT_HEIGHT;
  return { x: (index % perRow) * width, y: top + Math.floor(index / perRow) * height, w: width, h: height };
}

function panelJson(panel: Panel, id: number, gridPos: GridPosition) {
  const { title, description, unit, queries, runbook } = panel;
  return {
    id,
    type: panel.isStat ? 'stat' : 'timeseries',
    title,
    description,
    gridPos,
    datasource: SOURCE,
    ...(runbook === undefined ? {} : { links: [runbookLink(runbook)] }),
    fieldConfig: {
      defaults: {
        unit,
        color: { mode: panel.isStat ? 'thresholds' : 'palette-classic-by-name' },
        thresholds: { mode: 'absolute', steps: stepsOf(panel) },
        ...(panel.isStat ? {} : { min: 0, custom: graphOf(panel) }),
      },
      overrides: queries.flatMap(({ color }, index) =>
        color === undefined || panel.isStat ? [] : [colorOf(refIdOf(index), color)],
      ),
    },
    options: panel.isStat
      ? { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'background', graphMode: 'area' }
      : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: queries.map(({ legend, expr }, index) => ({
      refId: refIdOf(index),
      datasource: SOURCE,
      expr,
      legendFormat: legend,
    })),
  };
}

const refIdOf = (index: number) => String.fromCharCode('A'.charCodeAt(0) + index);

const runbookLink = (anchor: string) => ({
  title: 'What to do',
  targetBlank: true,
  url: `\${runbooks}/operations.md#${anchor}`,
});

const graphOf = ({ threshold }: Panel) => ({
  drawStyle: 'line',
  lineWidth: 1,
  fillOpacity: 10,
  showPoints: 'never',
  thresholdsStyle: { mode: threshold === undefined ? 'off' : 'dashed' },
});

function stepsOf({ threshold }: Panel) {
  if (threshold === undefined) return [{ color: 'green', value: null }];
  const [below, above] = threshold.below === true ? ['red', 'green'] : ['green', 'red'];
  return [
    { color: below, value: null },
    { color: above, value: threshold.at },
  ];
}

const colorOf = (refId: string, color: string) => ({
  matcher: { id: 'byFrameRefID', options: refId },
  properties: [{ id: 'color', value: { mode: 'fixed', fixedColor: color } }],
});
