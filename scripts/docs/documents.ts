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

/** Nothing connects to these addresses: creating a route table opens no connection. */
const SETTINGS = {
  HOST: '127.0.0.1',
  MONGODB_URI: 'mongodb://nowhere/nothing',
  REDIS_URL: 'redis://nowhere',
  OPERATOR_API_KEY: 'no-operator-has-a-key-to-documents',
  ENCRYPTION_KEYS: Buffer.alloc(32).toString('base64'),
};

/** A context for creating route tables. It has the settings; reading any other part throws. */
function unconnectedContext(): Context {
  const absent = (part: string) =>
    new Proxy(
      {},
      {
        get: () => {
          throw new Error(`Creating a route table must not read ${part}.`);
        },
      },
    );
  const parts = Object.fromEntries(['log', 'clock', 'db', 'queues', 'secretBox'].map((part) => [part, absent(part)]));
  return { ...parts, config: loadConfig(SETTINGS) } as Context;
}

/** The route tables of both listeners in sandbox mode with default settings. Their handlers cannot run. */
export function routeTables(): { partner: Operation[]; operator: Operation[] } {
  const context = unconnectedContext();
  return { partner: partnerRoutes(context), operator: operatorRoutes(context) };
}

/** The OpenAPI documents of both listeners in sandbox mode with default settings. */
export function apiDocuments(): { partner: OpenApiDocument; operator: OpenApiDocument } {
  const { partner, operator } = routeTables();
  return { partner: describePartnerApi(partner), operator: describeOperatorApi(operator) };
}

/** The alert rules as a PrometheusRule. A copy, because a kustomize component cannot read files outside its folder. */
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

/** All files that are generated from the code, except the client's: path → text. */
export function generatedDocs(): Record<string, string> {
  const { partner, operator } = apiDocuments();
  const asText = (document: object) => `${JSON.stringify(document, null, 2)}\n`;
  return {
    'docs/openapi.partner.json': asText(partner),
    'docs/openapi.operator.json': asText(operator),
    'docs/configuration.md': configurationPage(),
    'docs/errors.md': errorsPage(),
    'docs/webhook-events.md': webhooksPage(partner),
    // The scenarios that a certification report must have. A file, because the image has no client to import them from.
    'docs/certification-suite.json': asText({ version: SUITE_VERSION, scenarios: SCENARIOS.map(({ id }) => id) }),
    'deploy/kubernetes/components/prometheus-operator/rules.yaml': prometheusRule(),
    ...grafanaDashboards(),
  };
}
