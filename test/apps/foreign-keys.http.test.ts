import { expect, test } from '@jest/globals';
import { operatorRoutes } from '../../src/apps/admin-app.ts';
import type { Route } from '../../src/http/route.ts';
import { createClient } from '../support/client.ts';
import { anyPartner } from '../support/factories.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { verdict } from '../support/verdict.ts';

/** Wrong keys are counted per address, 60 a minute. */
const CALLS_OF_A_SERVICE = 50;

/** What each operation answers to a partner's good key. */
async function answersTo(service: Service, routes: readonly Pick<Route<never>, 'method' | 'path'>[]) {
  const { apiKey } = await anyPartner(service);
  const api = createClient(service.adminUrl, apiKey);
  const answers: string[] = [];
  for (const { method, path } of routes) {
    const reply = await api.send(method.toUpperCase(), path.replace(/:\w+/g, 'x'), {
      headers: { 'content-type': 'application/json' },
      ...(method === 'get' ? {} : { body: '{}' }),
    });
    answers.push(`${verdict(reply)} ${method} ${path}`);
  }
  return answers;
}

test("a partner's key opens no operation of the operators' interface", async () => {
  const first = await startService();
  const routes = operatorRoutes(first.context);
  expect(routes.length).toBeGreaterThan(30);
  for (let from = 0, service = first; from < routes.length; from += CALLS_OF_A_SERVICE) {
    if (from > 0) service = await startService();
    try {
      const answers = await answersTo(service, routes.slice(from, from + CALLS_OF_A_SERVICE));
      expect(answers.filter((answer) => !answer.startsWith('401 INVALID_API_KEY '))).toEqual([]);
    } finally {
      await service.stop();
    }
  }
});
