import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { goProgram } from '../../scripts/go-program.ts';
import { PROMETHEUS_FOLDER, type Rule, readRules } from '../metrics/expressions.ts';
import { eventually } from '../support/eventually.ts';
import { keptProcess } from '../support/kept-process.ts';
import { freePort, temporaryFolder } from '../support/own-servers.ts';
import { SLOW } from './slow-rules.ts';

/** Built without service discovery and the web UI. */
const PROMETHEUS = {
  name: 'prometheus',
  module: 'github.com/prometheus/prometheus/cmd/prometheus',
  version: 'v0.316.0',
  tags: ['remove_all_sd'],
};

/** An alert names a process by `job`, a queue by `queue`, or neither. */
type AlertLabels = { alertname: string; job?: string; queue?: string };

/** The path of the program. Building it the first time takes about two minutes. */
export const prometheusBinary = (): Promise<string> => goProgram(PROMETHEUS, process.env);

/**
 * A real Prometheus that scrapes `targets` (addresses by job) as in scrape.yml, with shorter windows for slow rules.
 */
export async function startPrometheus(targets: Readonly<Record<string, string>>) {
  const [binary, folder, port] = [await prometheusBinary(), await temporaryFolder(), await freePort()];
  const config = parse(await readFile(path.join(PROMETHEUS_FOLDER, 'scrape.yml'), 'utf8')) as {
    scrape_configs: { job_name: string; static_configs: unknown }[];
  };
  for (const scraped of config.scrape_configs) {
    const target = targets[scraped.job_name];
    if (target === undefined)
      throw new Error(`scrape.yml has the job ${scraped.job_name}, for which \`targets\` has no address`);
    scraped.static_configs = [{ targets: [target] }];
  }
  const rules = await readRules();
  for (const group of rules.groups) group.rules = group.rules.map(withShortWindow);
  await writeFile(path.join(folder, 'prometheus.yml'), stringify(config));
  await writeFile(path.join(folder, 'rules.yml'), stringify(rules));
  const url = `http://127.0.0.1:${port}`;
  const server = keptProcess(async () => [
    binary,
    `--config.file=${path.join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${path.join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  await server.start();
  await eventually('Prometheus is ready', async () => (await fetch(`${url}/-/ready`)).ok);
  return {
    /** The labels of the alerts that fire now. */
    firing: async () => {
      const { data } = (await (await fetch(`${url}/api/v1/alerts`)).json()) as {
        data: { alerts: { labels: AlertLabels; state: string }[] };
      };
      return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels);
    },
    stop: async () => {
      await server.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function withShortWindow(rule: Rule): Rule {
  const slow = SLOW[rule.alert];
  if (slow === undefined) return rule;
  const expr = rule.expr.replaceAll(
    /\[\d+[mh](:\d+s)?\]/g,
    (_all, step: string | undefined) => `[${slow.window}${step === undefined ? '' : ':5s'}]`,
  );
  return { ...rule, expr, ...(rule.for === undefined ? {} : { for: '10s' }) };
}
