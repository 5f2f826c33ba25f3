/**
 * Which rows of a collection may go once they are old enough, and how they are found. Each component states it of its own rows; to
 * archive and delete them is the work of `retention`.
 */
export type RetentionRule = {
  collection: string;
  /** The rows are walked by this field, oldest first, along this index; it never lies after what `isOver` compares. */
  field: string;
  hint: string;
  /** The instant by which rows are filed in the archive, and chosen to be restored. */
  instant: string;
  /** Where the walk ends, by `field`, and what a partial index has. */
  isWalked: (before: Date) => Record<string, unknown>;
  /** Matches, of those, the rows that nothing has to be kept of since `before`, but for what other collections still need of them. */
  isOver: (before: Date) => Record<string, unknown>;
};
