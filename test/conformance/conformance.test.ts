import { afterAll, describe, expect, test } from '@jest/globals';
import { mountedRoutes } from '../http/mounted-routes.ts';
import { ENDPOINTS } from './endpoints.ts';
import { differenceOf, endpointOf, missingAnswers } from './responses.ts';
import { ROWS } from './rows.ts';
import { RULES } from './rules.ts';
import { startWorlds } from './world.ts';

const worlds = await startWorlds();
afterAll(() => worlds.stop());

const named = ROWS.flatMap((row) => row.endpoints);
const inOrder = ROWS.toSorted((a, b) => RULES.indexOf(a.section) - RULES.indexOf(b.section));

describe('the service keeps', () => {
  test.concurrent.each(inOrder)('$section: $rule', async ({ check, endpoints }) => {
    const world = worlds.anyWorld();
    await check(world);
    expect(missingAnswers(endpoints, world.answered)).toEqual([]);
  });
});

describe('the map is complete', () => {
  test('every rule of the documents has a row', () => {
    const covered = new Set(ROWS.flatMap(({ section, also = [] }) => [section, ...also]));
    expect(RULES.filter((rule) => !covered.has(rule))).toEqual([]);
  });

  test('no two rows have one name', () => {
    const names = ROWS.map(({ section, rule }) => `${section}: ${rule}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test('every endpoint that is mounted has rows, and every row is about one that is', async () => {
    const { service, partner } = worlds.anyWorld();
    const routes = mountedRoutes(service, await partner());
    const mounted = routes.filter(({ path }) => !path.startsWith('/api/v1/operator/'));
    const endpoints = mounted.map(({ method, path }) => endpointOf(`${method} ${path}`));
    const complete = { withoutRow: [], notMounted: [] };
    expect(differenceOf(named.map(endpointOf), endpoints)).toEqual(complete);
    expect(differenceOf(Object.keys(ENDPOINTS).map(endpointOf), endpoints)).toEqual(complete);
  });

  test('an endpoint without rows, and a row without endpoint, would be found', () => {
    const served = ['GET /api/v1/bookings', 'POST /api/v1/bookings/:id/move'].map(endpointOf);
    const rows = ['GET /api/v1/bookings 200', 'GET /api/v1/nothing/{id} 200'].map(endpointOf);
    expect(differenceOf(rows, served)).toEqual({
      withoutRow: ['POST /api/v1/bookings/{}/move'],
      notMounted: ['GET /api/v1/nothing/{}'],
    });
  });

  test.each(Object.entries(ENDPOINTS))('each answer that %s documents has a row', (endpoint, outcomes) => {
    const rows = new Set(named);
    expect(outcomes.filter((outcome) => !rows.has(`${endpoint} ${outcome}`))).toEqual([]);
    expect(outcomes.some((outcome) => outcome.startsWith('2'))).toBe(true);
    expect(named.some((answer) => answer.startsWith(`${endpoint} 4`))).toBe(true);
  });

  test('a row that is not answered what it is about fails', () => {
    const answered = [
      { method: 'POST', path: '/api/v1/bookings/b-1/cancel', outcome: '409 INVALID_HOLD_STATE' },
    ];
    const cancel = 'POST /api/v1/bookings/{bookingId}/cancel';
    expect(missingAnswers([`${cancel} 409 INVALID_HOLD_STATE`], answered)).toEqual([]);
    const others = [`${cancel} 409 HOLD_EXPIRED`, `${cancel} 200`, 'POST /api/v1/bookings/{bookingId} 200'];
    expect(missingAnswers(others, answered)).toEqual(others);
  });
});
