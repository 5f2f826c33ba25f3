/** The form in which customers' names are compared: compatibility-composed and lower-case (decisions §4, "prefix"). */
export function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
