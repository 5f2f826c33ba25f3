/** How a command ended, as its exit code says it; the guide lists them. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** A command cannot do what it was asked. The message is a plain sentence for whoever typed it; it never has a key in it. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed, cause?: unknown) {
    super(message, { cause });
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

/** It was called in a wrong way: exit code 2. */
export function usageError(message: string): CommandError {
  return new CommandError(message, EXIT.usage);
}

/** The service rejected a call, or did not respond. */
export class CallError extends CommandError {
  /** Whether the service may have done it all the same. */
  readonly mayBeDone: boolean;

  constructor(message: string, mayBeDone: boolean, cause?: unknown) {
    super(message, EXIT.failed, cause);
    this.name = 'CallError';
    this.mayBeDone = mayBeDone;
  }
}

/** The user has asked it to stop. */
export function interruption(): CommandError {
  return new CommandError('Interrupted.', EXIT.interrupted);
}
