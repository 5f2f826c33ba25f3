type ArchivedObject = { name: string; day: string; archivedAt: string };

const NAME = /^[a-z-]+\/(\d{4}-\d{2}-\d{2})\/[\w-]+\.(\d{8}T\d{9}Z)-[\da-f]+\.jsonl\.gz$/;

export const dayOf = (instant: Date): string => instant.toISOString().slice(0, 10);

/**
 * `holds/2026-10-24/<first id>.20261123T214500123Z-5e0c7a3f.jsonl.gz`. The time of archiving and a random part make
 * each name unique: an earlier object may have the only copy of other rows and must not be overwritten.
 */
export function objectName(
  kind: string,
  { day, firstId, archivedAt, random }: { day: string; firstId: string; archivedAt: Date; random: string },
): string {
  const stamp = archivedAt.toISOString().replace(/[-:.]/g, '');
  return `${kind}/${day}/${firstId.replace(/[^\w-]/g, '_')}.${stamp}-${random}.jsonl.gz`;
}

/**
 * The objects among `names` for the days from `since` to `until`, the last archived first: if a row was archived twice,
 * the later object has the version that was deleted.
 */
export function objectsBetween(names: readonly string[], since?: Date, until?: Date): ArchivedObject[] {
  const firstDay = since === undefined ? '' : dayOf(since);
  const lastDay = until === undefined ? '9999-12-31' : dayOf(until);
  return names
    .flatMap((name) => {
      const [, day, archivedAt] = NAME.exec(name) ?? [];
      return day === undefined || archivedAt === undefined ? [] : [{ name, day, archivedAt }];
    })
    .filter(({ day }) => day >= firstDay && day <= lastDay)
    .toSorted((a, b) => Number(a.archivedAt < b.archivedAt) - Number(a.archivedAt > b.archivedAt));
}
