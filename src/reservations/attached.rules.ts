import type { Attached } from './reservations.model.ts';

/** What a partner attached to a hold or booking, as reads show it. */
export function attachedView({ orderReference, metadata }: Attached): Record<string, unknown> {
  return { order_reference: orderReference ?? null, metadata: metadata ?? {} };
}

/** The same in an event, without what was not given. */
export function attachedInEvent({ orderReference, metadata }: Attached): Record<string, unknown> {
  return {
    ...(orderReference === undefined ? {} : { order_reference: orderReference }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** What was attached by the fields of a body. */
export function attachedBy(body: { order_reference?: string; metadata?: Record<string, string> }): Attached {
  return {
    ...(body.order_reference === undefined ? {} : { orderReference: body.order_reference }),
    ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
  };
}
