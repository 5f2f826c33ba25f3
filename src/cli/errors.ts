/** Exit codes (docs/guides/command-line.md). */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** A command failed. The message is for the user and never contains a key. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed, cause?: unknown) {
    super(message, { cause });
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

export function usageError(message: string): CommandError {
  return new CommandError(message, EXIT.usage);
}

export class CallError extends CommandError {
  /** Whether the service may have carried out the call despite the error. */
  readonly mayBeDone: boolean;

  constructor(message: string, mayBeDone: boolean, cause?: unknown) {
    super(message, EXIT.failed, cause);
    this.name = 'CallError';
    this.mayBeDone = mayBeDone;
  }
}

export function interruption(): CommandError {
  return new CommandError('Interrupted.', EXIT.interrupted);
}
