import { omitUndefined } from '../platform/omit-undefined.ts';
import type { Attached } from './reservations.model.ts';

/** The attachments of a hold or booking (reference and metadata), as fields of a response. */
export function attachedView({ orderReference, metadata }: Attached): Record<string, unknown> {
  return { order_reference: orderReference ?? null, metadata: metadata ?? {} };
}

/** The attachments of a hold or booking, as fields of an event. */
export function attachedInEvent({ orderReference, metadata }: Attached): Record<string, unknown> {
  return omitUndefined({ order_reference: orderReference, metadata });
}

export function attachedBy(body: { order_reference?: string; metadata?: Record<string, string> }): Attached {
  return omitUndefined({ orderReference: body.order_reference, metadata: body.metadata });
}
