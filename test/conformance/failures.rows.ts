import { expect } from 'expect';
import { createPartnerApp } from '../../src/apps/partner-app.ts';
import { loadConfig } from '../../src/config/config.ts';
import { listen } from '../../src/http/listen.ts';
import { createApiContext } from '../../src/process/context.ts';
import { testScope } from '../support/process-scope.ts';
import type { Row } from './row.ts';
import { expectVerdict, HOLDS, held, PARTNER } from './steps.ts';

const VENUES = `${PARTNER}/venues`;

/** Responses of 500 and 503. */
export const FAILURE_ROWS: readonly Row[] = [
  {
    rules: ['errors/internal'],
    title: 'whatever nobody foresaw is 500 with a request_id and nothing of the inside',
    endpoints: [`GET ${HOLDS}/{holdId} 500 INTERNAL_ERROR`],
    needs: 'internals',
    check: async (world, internals) => {
      const service = await internals.serviceWith({});
      const scene = await world.scene({ at: service });
      const { hold_id: id } = await held(scene);
      // A row that no code of the service could have written.
      await service.context.db
        .collection('reservations')
        .updateOne({ _id: id as never }, { $unset: { slotStart: 1 } }, { bypassDocumentValidation: true });
      await expectVerdict(scene.partner.api.get(`${HOLDS}/${String(id)}`), '500 INTERNAL_ERROR');
    },
  },
  {
    rules: ['errors/unavailable'],
    title: 'while the database cannot be reached calls are 503 with Retry-After',
    endpoints: [`GET ${VENUES} 503 SERVICE_UNAVAILABLE`],
    needs: 'internals',
    check: async (world, internals) => {
      const partner = await world.partner();
      // Nothing listens on port 9.
      const uri = 'mongodb://127.0.0.1:9/none?serverSelectionTimeoutMS=200';
      const config = loadConfig({ ...internals.service.environment, MONGODB_URI: uri });
      const { scope, abort, release } = testScope('api', config, () => undefined);
      const unreachable = createApiContext(scope);
      const opened = unreachable.connected.catch(() => undefined);
      const listener = await listen(createPartnerApp(unreachable), '127.0.0.1', 0);
      try {
        const reply = await world.client(partner.apiKey, listener).get(VENUES);
        await expectVerdict(reply, '503 SERVICE_UNAVAILABLE');
        expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      } finally {
        abort();
        await listener.close();
        await release();
        await opened;
      }
    },
  },
];
