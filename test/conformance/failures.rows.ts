import { expect } from 'expect';
import type { Row } from './row.ts';
import type * as InHost from './rows.in-host.ts';
import { expectVerdict, HOLDS, held, VENUES } from './steps.ts';

/** Responses of 500 and 503. */
export const FAILURE_ROWS: readonly Row[] = [
  {
    rules: ['errors/internal'],
    title: 'an unexpected error is 500 with a request_id and without internals',
    responses: [`GET ${HOLDS}/{holdId} 500 INTERNAL_ERROR`],
    needs: 'internals',
    check: async (world, internals) => {
      const service = await internals.serviceWith({});
      const scene = await world.scene({ at: service });
      const { hold_id: id } = await held(scene);
      // A row that the service itself could never write.
      await service.context.db
        .collection('reservations')
        .updateOne({ _id: id as never }, { $unset: { slotStart: 1 } }, { bypassDocumentValidation: true });
      await expectVerdict(scene.partner.api.get(`${HOLDS}/${String(id)}`), '500 INTERNAL_ERROR');
    },
  },
  {
    rules: ['errors/unavailable'],
    title: 'while the database is unreachable, calls are 503 with Retry-After',
    responses: [`GET ${VENUES} 503 SERVICE_UNAVAILABLE`],
    needs: 'internals',
    check: async (world, internals) => {
      const partner = await world.partner();
      const { service } = internals;
      const { listenWithoutDatabase } = service.inHost<typeof InHost>('test/conformance/rows.in-host.ts');
      const url = await listenWithoutDatabase();
      const reply = await world.client(partner.apiKey, { ...service, url }).get(VENUES);
      await expectVerdict(reply, '503 SERVICE_UNAVAILABLE');
      expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    },
  },
];
