/** Which old rows of a collection may go. Each component states its own; `retention` archives and deletes. */
export type RetentionRule = {
  collection: string;
  /** Rows are read by this field along the index `hint`. It is never later than what `isOver` compares. */
  field: string;
  hint: string;
  instant: string;
  /** The end of the range to read, by `field`, and the condition of a partial index. */
  isWalked: (before: Date) => Record<string, unknown>;
  /** Matches the rows that may go, unless other collections still need them. */
  isOver: (before: Date) => Record<string, unknown>;
};
