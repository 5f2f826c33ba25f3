import { UnrecoverableError } from 'bullmq';

// BullMQ stores an error's message and stack. These errors have no stack, because their message is complete.

/** A failure that the row has recorded and the queue repeats. Every other failure of a job is a bug. */
export class ExpectedFailure extends Error {
  override stack = '';
}

/** A failure that repetition cannot fix: the job fails at once. */
export class FinalFailure extends UnrecoverableError {
  override stack = '';
}
