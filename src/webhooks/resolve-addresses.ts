import { lookup } from 'node:dns/promises';

/** Finds every IP address of a host name; rejects when there is none. Answers are IPv4 or IPv6 in text form. */
export type ResolveAddresses = (hostname: string) => Promise<readonly string[]>;

/** {@link ResolveAddresses} by the system's resolver (hosts file, search domains and DNS), in the system's order. */
export async function resolveAddresses(hostname: string): Promise<readonly string[]> {
  const answers = await lookup(hostname, { all: true, order: 'verbatim' });
  return answers.map((answer) => answer.address);
}
