import type { Shape } from '../certification/shapes.ts';
import { faultsOfShape } from '../certification/shapes.ts';
import type { PartnerClient } from '../client.ts';
import type { CallOptions, OperationId } from '../operation-types.ts';

/** The fields that the commands use. Checked, because another program at the address may respond with other JSON. */
const SHAPES = {
  getMe: {
    partner_id: 'text',
    name: 'text',
    mode: 'text',
    key: { id: 'text' },
    limits: {},
    venues: [{ venue_id: 'text', name: 'text' }],
  },
  getObservability: {
    summary: { events: 'number', deliveries: { succeeded: 'number', pending: 'number', retrying: 'number' } },
    subscriptions: [
      {
        id: 'text',
        status: 'text',
        endpoint_url: 'text',
        consecutive_failures: 'number',
        dead_letter: 'number',
      },
    ],
  },
  listEvents: {
    data: [{ event_id: 'text', event_type: 'text', timestamp: 'instant' }],
    next_cursor: 'text',
  },
  getAvailability: { slots: [{ slot_id: 'text', is_available: 'boolean' }] },
  getAvailabilityRange: { days: [{ slots: [{ slot_id: 'text', is_available: 'boolean' }] }] },
  placeHold: { hold_id: 'text', slot_id: 'text', status: 'text', hold_expiry_at: 'instant' },
  getHold: { status: 'text', hold_expiry_at: 'instant' },
  confirmBooking: { booking_id: 'text', slot_id: 'text', status: 'text' },
} as const satisfies Partial<Record<OperationId, Shape>>;

type AnyMethod = (input: object, options?: CallOptions) => Promise<unknown>;

/** Checks the shape of successful responses. Rejects with `createError(faults)` if the shape is wrong. */
export function withKnownShapes(
  client: PartnerClient,
  createError: (faults: readonly string[]) => Error,
): PartnerClient {
  const checkedMethods = Object.entries(SHAPES).map(([id, shape]) => {
    const method = client[id as keyof typeof SHAPES] as AnyMethod;
    const call: AnyMethod = async (...args) => {
      const response = await method(...args);
      const faults = faultsOfShape(response, shape);
      if (faults.length > 0) throw createError(faults);
      return response;
    };
    return [id, call];
  });
  return { ...client, ...(Object.fromEntries(checkedMethods) as Pick<PartnerClient, keyof typeof SHAPES>) };
}
