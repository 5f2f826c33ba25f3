/** The value of a variable without the blanks around it, such as the carriage return of a file from Windows; one that is empty counts as absent. */
export function valueOf(
  environment: Record<string, string | undefined>,
  variable: string,
): string | undefined {
  return environment[variable]?.trim() || undefined;
}

/** Whether quotes around a value were kept by whatever read the file of settings. */
export const isQuoted = (value: string): boolean => /^(["']).*\1$/s.test(value);
