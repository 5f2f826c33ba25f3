import { expect, test } from '@jest/globals';
import type { Described } from '../http/described-routes.ts';
import { DESCRIBED_ROUTES, pathWith } from '../http/described-routes.ts';
import { createClient } from '../support/client.ts';
import { anyPartner } from '../support/factories.ts';
import type { HostedService } from '../support/service-host.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

/** Wrong keys are counted per address, 60 a minute. */
const CALLS_OF_A_SERVICE = 50;

/** What each operation answers to a partner's good key. */
async function answersTo(service: HostedService, routes: readonly Described[]) {
  const { apiKey } = await anyPartner(service);
  const api = createClient(service.adminUrl, apiKey);
  const answers: string[] = [];
  for (const { method, path } of routes) {
    const reply = await api.send(method, pathWith(path, 'x'), {
      headers: { 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body: '{}' }),
    });
    answers.push(`${verdict(reply)} ${method} ${path}`);
  }
  return answers;
}

test("a partner's key opens no operation of the operators' interface", async () => {
  const routes = DESCRIBED_ROUTES.filter(({ listener }) => listener === 'operator');
  expect(routes.length).toBeGreaterThan(30);
  for (let from = 0; from < routes.length; from += CALLS_OF_A_SERVICE) {
    const service = await hostedService();
    try {
      const answers = await answersTo(service, routes.slice(from, from + CALLS_OF_A_SERVICE));
      expect(answers.filter((answer) => !answer.startsWith('401 INVALID_API_KEY '))).toEqual([]);
    } finally {
      await service.stop();
    }
  }
});
