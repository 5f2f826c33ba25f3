import { readFileSync } from 'node:fs';
import { SCENARIOS, SUITE_VERSION } from '../../packages/client/src/certification/scenarios.ts';
import type { OpenApiDocument } from '../../src/http/openapi/document.ts';
import type { Operation } from '../../src/http/route.ts';
import { operatorRoutes } from '../../src/main/admin-app.ts';
import { describeOperatorApi } from '../../src/main/operator-openapi.ts';
import { partnerRoutes } from '../../src/main/partner-app.ts';
import { describePartnerApi } from '../../src/main/partner-openapi.ts';
import { loadConfig } from '../../src/process/config/config.ts';
import type { Context } from '../../src/process/context.ts';
import { configurationPage } from './configuration-page.ts';
import { grafanaDashboards } from './dashboards.ts';
import { errorsPage } from './errors-page.ts';
import { webhooksPage } from './webhooks-page.ts';

/** Nothing here is reached: a route table only closes over its connections. */
const SETTINGS = {
  HOST: '127.0.0.1',
  MONGODB_URI: 'mongodb://nowhere/nothing',
  REDIS_URL: 'redis://nowhere',
  OPERATOR_API_KEY: 'no-operator-has-a-key-to-documents',
  ENCRYPTION_KEYS: Buffer.alloc(32).toString('base64'),
};

/**
 * A context that has its settings and nothing behind them: route tables can be made of it and read. Whatever else is
 * asked of it throws.
 */
function unconnectedContext(): Context {
  const absent = (part: string) =>
    new Proxy(
      {},
      {
        get: () => {
          throw new Error(`A route table was made with a look at ${part}, which documents have not.`);
        },
      },
    );
  const parts = Object.fromEntries(['log', 'clock', 'db', 'queues', 'secretBox'].map((part) => [part, absent(part)]));
  return { ...parts, config: loadConfig(SETTINGS) } as Context;
}

/** The route tables of both listeners in sandbox mode with the default settings; to be read, not served. */
export function routeTables(): { partner: Operation[]; operator: Operation[] } {
  const context = unconnectedContext();
  return { partner: partnerRoutes(context), operator: operatorRoutes(context) };
}

/** The documents of both listeners, as a service in sandbox mode with the default settings serves them. */
export function apiDocuments(): { partner: OpenApiDocument; operator: OpenApiDocument } {
  const { partner, operator } = routeTables();
  return { partner: describePartnerApi(partner), operator: describeOperatorApi(operator) };
}

/** The alert rules as the Prometheus Operator loads them: a component of kustomize cannot read a file outside its folder. */
function prometheusRule(): string {
  const rules = readFileSync(new URL('../../deploy/prometheus/rules.yml', import.meta.url), 'utf8');
  const groups = rules.slice(rules.indexOf('groups:')).replaceAll(/^(?=.)/gm, '  ');
  return `# Generated from deploy/prometheus/rules.yml by \`npm run docs\`.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: partner-booking
  labels:
    app.kubernetes.io/component: common
spec:
${groups}`;
}

/** Everything that is generated of the code but the client's: path → text. */
export function generatedDocs(): Record<string, string> {
  const { partner, operator } = apiDocuments();
  const asText = (document: object) => `${JSON.stringify(document, null, 2)}\n`;
  return {
    'docs/openapi.partner.json': asText(partner),
    'docs/openapi.operator.json': asText(operator),
    'docs/configuration.md': configurationPage(),
    'docs/errors.md': errorsPage(),
    'docs/webhook-events.md': webhooksPage(partner),
    // The scenarios that a certification report must have. The image has no client, so `src/` cannot import them.
    'docs/certification-suite.json': asText({ version: SUITE_VERSION, scenarios: SCENARIOS.map(({ id }) => id) }),
    'deploy/kubernetes/components/prometheus-operator/rules.yaml': prometheusRule(),
    ...grafanaDashboards(),
  };
}
