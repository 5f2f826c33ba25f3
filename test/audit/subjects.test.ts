import { afterAll, describe, expect, test } from '@jest/globals';
import { anyPartner, anyVenue, expectStatus, type Json, operatorOf } from '../support/factories.ts';
import { hostedService } from '../support/service-host.ts';
import type * as Inside from './subjects.in-host.ts';

const service = await hostedService({ isAlone: true });
const inside = service.inHost<typeof Inside>('test/audit/subjects.in-host.ts');
const operator = operatorOf(service);
const venue = await anyVenue(service);
const partner = await anyPartner(service, [venue.id]);
afterAll(() => service.stop());

const newest = async () => {
  const page = expectStatus(await operator.get('/api/v1/operator/audit?limit=1'), 200);
  return (page['data'] as Json[])[0];
};

/** Operations that change things and whose rows have nothing before and after, and why. */
const WITHOUT_SUBJECT = new Map([
  ['redriveDeadLetters', 'is about any number of deliveries; the row has how many'],
  ['discardDeadLetters', 'the same: each row has when and why'],
  ['eraseCustomer', 'is about a person, of whom nothing may be kept; the row has how many records'],
]);

describe('what an action was about', () => {
  test('is read for every operation that changes something that exists', async () => {
    const changing = await inside.changingOperations();
    const without = changing.filter(({ isSubjectRead }) => !isSubjectRead);
    expect(changing.length).toBeGreaterThan(15);
    expect(without.map(({ operationId }) => operationId).sort()).toEqual([...WITHOUT_SUBJECT.keys()].sort());
  });

  test('of a price rule that was removed is what it said', async () => {
    const path = `/api/v1/operator/resources/${venue.resourceIds[0]}/price-rules`;
    const rule = expectStatus(await operator.post(path, { name: 'Peak', price_rupees: 999 }), 201);
    const removed = `/api/v1/operator/price-rules/${String(rule['price_rule_id'])}`;
    expectStatus(await operator.delete(removed), 204);
    expect(await newest()).toMatchObject({ action: 'removePriceRule', before: rule, after: null });
    expect((await operator.delete(removed)).status).toBe(404);
    expect(await newest()).toMatchObject({ action: 'removePriceRule', status: 404, before: null });
  });

  test('of a blackout that was lifted is what it said, with what stood in it', async () => {
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const body = { starts_at: at(24), ends_at: at(30), reason: 'Repairs' };
    const blackout = expectStatus(await operator.post(`/api/v1/operator/venues/${venue.id}/blackouts`, body), 201);
    const lifted = `/api/v1/operator/blackouts/${String(blackout['blackout_id'])}`;
    expectStatus(await operator.delete(lifted), 204);
    expect(await newest()).toMatchObject({ action: 'liftBlackout', before: blackout, after: null });
  });

  test('of a grant is the grant where there is one, and nothing where there is none', async () => {
    const path = `/api/v1/operator/partners/${partner.id}/venues/${venue.id}`;
    const grant = { partner_id: partner.id, venue_id: venue.id };
    const answer = expectStatus(await operator.delete(path), 200);
    expect(answer).toEqual({ released_holds: [] });
    expect(await newest()).toMatchObject({ action: 'revokeVenue', before: grant, after: answer });
    expectStatus(await operator.put(path), 204);
    expect(await newest()).toMatchObject({ action: 'grantVenue', before: null, after: grant });
    expectStatus(await operator.put(path), 204);
    expect(await newest()).toMatchObject({ action: 'grantVenue', before: grant, after: grant });
  });
});
