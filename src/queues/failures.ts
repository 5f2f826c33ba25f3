import { UnrecoverableError } from 'bullmq';

// BullMQ stores the stack of an error beside its message. These errors have none: their message says everything.

/** A failure that the row has recorded and the queue repeats. Every other failure of a job is a bug. */
export class ExpectedFailure extends Error {
  override stack = '';
}

/** A failure that no repetition mends: the job fails at once. */
export class FinalFailure extends UnrecoverableError {
  override stack = '';
}
