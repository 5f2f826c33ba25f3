const SLOT_ID = /^([a-z0-9-]+)_(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})Z$/;

/**
 * The identifier of the slot of `resourceId` that begins at `start`: `<resource_id>_<YYYYMMDDTHHmmZ>`, UTC, for instance
 * `koramangala-turf-a_20261121T0430Z` (contract: responses/ids). The same slot has the same id for ever, with no table behind it.
 */
export function slotIdOf(resourceId: string, start: Date): string {
  const digits = start.toISOString().replace(/[-:]/g, '').slice(0, -'SS.sssZ'.length);
  return `${resourceId}_${digits}Z`;
}

/**
 * The resource and start that a slot id names, or undefined when `text` is no slot id: another form, a resource id that
 * is no slug, or an instant that does not exist. Says nothing about whether the resource or the slot exists.
 * `slotIdOf` of the result is `text` again.
 */
export function parseSlotId(text: string): { resourceId: string; start: Date } | undefined {
  const [, resourceId, year, month, day, hour, minute] = SLOT_ID.exec(text) ?? [];
  if (resourceId === undefined) return undefined;
  const start = new Date(`${year}-${month}-${day}T${hour}:${minute}:00.000Z`);
  // Date reads 30 February as 2 March; only an instant that prints as it was written is real.
  const isReal = !Number.isNaN(start.getTime()) && slotIdOf(resourceId, start) === text;
  return isReal ? { resourceId, start } : undefined;
}
