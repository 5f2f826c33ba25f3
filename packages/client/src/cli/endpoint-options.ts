import { InvalidArgumentError, Option } from 'commander';
import { usageError } from './command-error.ts';
import { checkedAddress, secretInFile } from './connection.ts';
import type { World } from './world.ts';

export type EndpointOptions = { forwardTo: string; secret?: string; secretFile?: string };

const EXAMPLE = 'http://localhost:4000/webhooks';

export function endpointOptions(): Option[] {
  return [
    new Option('--forward-to <url>', `your endpoint, such as ${EXAMPLE}`).makeOptionMandatory(),
    new Option(
      '--secret <secret>',
      'sign with this (whsec_…) instead of PARTNER_WEBHOOK_SECRET or the secret in the state file; other users of the machine can see it',
    ),
    new Option('--secret-file <file>', 'read the secret from a file').conflicts('secret'),
  ];
}

export function attemptsOption(description: string): Option {
  return new Option('--attempts <count>', description).argParser((text: string) => {
    if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, at least 1.');
    return Number(text);
  });
}

/** @throws CommandError that names the option */
export const forwardAddress = ({ forwardTo }: EndpointOptions): string =>
  checkedAddress(forwardTo, '--forward-to', EXAMPLE);

/** The secret of an option or of PARTNER_WEBHOOK_SECRET, if given. @throws CommandError that names the option */
export async function givenSecret(
  { secret, secretFile }: EndpointOptions,
  { environment }: World,
): Promise<string | undefined> {
  if (secretFile !== undefined) return secretInFile(secretFile, '--secret-file');
  if (secret === '') throw usageError('--secret is empty. Give a secret, or leave the option out.');
  return secret ?? (environment.webhookSecret?.trim() || undefined);
}
