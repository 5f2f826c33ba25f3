/**
 * A rule for the deletion of old rows of a collection. Each component states its own; `retention` archives and deletes.
 */
export type RetentionRule = {
  collection: string;
  /** The field by which rows are read, along the index `hint`. It is never later than the instants in `isOver`. */
  field: string;
  hint: string;
  instant: string;
  /** The end of the range to read, by `field`, and the condition of a partial index. */
  isWalked: (before: Date) => Record<string, unknown>;
  /** Matches the rows that may be deleted, unless other collections still need them. */
  isOver: (before: Date) => Record<string, unknown>;
};
