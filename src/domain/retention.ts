/**
 * A rule for the deletion of old rows of a collection. Each component states its rules; `retention` archives and
 * deletes.
 */
export type RetentionRule = {
  collection: string;
  /** Rows are read by this field, along the index `hint`. Its value is never later than the instants in `isOver`. */
  field: string;
  hint: string;
  instant: string;
  /** Ends the range of `field` to read, and has the condition of a partial index. */
  isWalked: (before: Date) => Record<string, unknown>;
  /** Matches the rows that may be deleted, unless other collections still need them. */
  isOver: (before: Date) => Record<string, unknown>;
};
