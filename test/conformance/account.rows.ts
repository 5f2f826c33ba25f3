import { expect } from 'expect';
import { eventually } from '../support/eventually.ts';
import { expectStatus } from '../support/factories.ts';
import type { Row } from './row.ts';
import { INSTANT, PARTNER, read, revokeGrant } from './steps.ts';

const ME = `${PARTNER}/me`;

/** A key describes its partner and its limits. */
export const ACCOUNT_ROWS: readonly Row[] = [
  {
    rules: ['authentication/key-describes-itself', 'authentication/api-key'],
    title: 'GET /me returns the partner, the key and the granted venues',
    responses: [`GET ${ME} 200`],
    check: async (world) => {
      const [scene, other] = [
        await world.scene({ venue: { name: 'Arena' } }),
        await world.scene({ venue: { name: 'Zenith' } }),
      ];
      const { partner, rival, venue } = scene;
      await world.operator.put(`/api/v1/operator/partners/${partner.id}/venues/${other.venue.id}`);
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      const keys = `/api/v1/operator/partners/${partner.id}/keys`;
      const second = expectStatus(await world.operator.post(keys, { expires_at }), 201);

      const me = await read(partner, ME);
      expect(me).toMatchObject({ partner_id: partner.id, status: 'active', mode: 'sandbox' });
      expect(me['venues']).toEqual([
        { venue_id: venue.id, name: 'Arena' },
        { venue_id: other.venue.id, name: 'Zenith' },
      ]);
      expect(me['key']).toMatchObject({ created_at: INSTANT, expires_at: null });
      const withSecond = { ...partner, api: world.client(String(second['api_key'])) };
      const usedKey = await eventually('the use of the key to be recorded', async () => {
        const { key } = (await read(withSecond, ME)) as { key: { last_used_at: unknown } };
        return key.last_used_at !== null && key;
      });
      const { key_id: id, created_at } = second;
      expect(usedKey).toEqual({ id, created_at, expires_at, last_used_at: INSTANT });

      expect((await read(rival, ME))['venues']).toEqual([{ venue_id: venue.id, name: 'Arena' }]);
      await revokeGrant(world, scene);
      expect((await read(partner, ME))['venues']).toEqual([{ venue_id: other.venue.id, name: 'Zenith' }]);
      expect((await read(await world.partner(), ME))['venues']).toEqual([]);
    },
  },
];
