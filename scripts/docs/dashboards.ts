import { DATABASE } from './dashboards/database.ts';
import { DELIVERIES } from './dashboards/deliveries.ts';
import { PROCESSES } from './dashboards/processes.ts';
import { SERVICE } from './dashboards/service.ts';
import { dashboardJson } from './grafana.ts';

/** The Grafana dashboards: path → JSON. */
export function grafanaDashboards(): Record<string, string> {
  return {
    'deploy/grafana/service.json': dashboardJson(SERVICE),
    'deploy/grafana/deliveries.json': dashboardJson(DELIVERIES),
    'deploy/grafana/processes.json': dashboardJson(PROCESSES),
    'deploy/grafana/database.json': dashboardJson(DATABASE),
  };
}
