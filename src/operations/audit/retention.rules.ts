import type { RetentionRule } from '../../domain/retention.ts';

export const OLD_AUDIT: RetentionRule = {
  collection: 'audit',
  field: 'at',
  hint: 'audit_newest',
  instant: 'at',
  isWalked: (before) => ({ at: { $lt: before } }),
  isOver: () => ({}),
};
