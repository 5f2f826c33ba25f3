import { omitUndefined } from '../platform/omit-undefined.ts';
import type { Attached } from './reservations.model.ts';

/** What a partner attached to a hold or booking, as reads show it. */
export function attachedView({ orderReference, metadata }: Attached): Record<string, unknown> {
  return { order_reference: orderReference ?? null, metadata: metadata ?? {} };
}

/** The same in an event, without what was not given. */
export function attachedInEvent({ orderReference, metadata }: Attached): Record<string, unknown> {
  return omitUndefined({ order_reference: orderReference, metadata });
}

/** What was attached by the fields of a body. */
export function attachedBy(body: { order_reference?: string; metadata?: Record<string, string> }): Attached {
  return omitUndefined({ orderReference: body.order_reference, metadata: body.metadata });
}
