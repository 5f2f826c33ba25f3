import type { LookupAddress } from 'node:dns';
import { describe, expect, jest, test } from '@jest/globals';
import { createCheckedLookup } from '../../src/webhooks/sender/checked-lookup.ts';
import { BlockedAddressError, UnresolvedHostError } from '../../src/webhooks/sender/delivery-error.rules.ts';
import type { ResolveAddresses } from '../../src/webhooks/sender/resolve-addresses.ts';

type Answer = {
  error: Error | null;
  address: string | LookupAddress[] | undefined;
  family: number | undefined;
};

const publicIps = ['93.184.215.14', '2606:4700:4700::1111'];

function lookUp(
  resolve: ResolveAddresses,
  { allowPrivateNetworks = false, all = true } = {},
): Promise<Answer> {
  const lookup = createCheckedLookup({ resolve, allowPrivateNetworks });
  return new Promise((settle) => {
    lookup('partner.example', { all }, (error, address, family) => settle({ error, address, family }));
  });
}

describe('the lookup of checked connections', () => {
  test('answers with the addresses that it checked, from one resolution', async () => {
    const resolve = jest.fn<ResolveAddresses>(async () => publicIps);
    const { error, address } = await lookUp(resolve);
    expect(error).toBeNull();
    expect(address).toEqual([
      { address: '93.184.215.14', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
    expect(resolve.mock.calls).toEqual([['partner.example']]);
  });

  test('answers with the first address when only one is asked for', async () => {
    expect(await lookUp(async () => publicIps, { all: false })).toEqual({
      error: null,
      address: '93.184.215.14',
      family: 4,
    });
  });

  test.each([
    ['the only address', ['127.0.0.1']],
    ['the last of several', [...publicIps, '10.0.0.1']],
    ['the first of several', ['fd00::1', ...publicIps]],
  ])('refuses a name when %s is not public', async (_which, addresses) => {
    for (const all of [true, false]) {
      const { error, address } = await lookUp(async () => addresses, { all });
      expect(error).toBeInstanceOf(BlockedAddressError);
      expect(address).toBe('');
    }
  });

  test('control: the same name is answered where private networks are allowed', async () => {
    const { error, address } = await lookUp(async () => [...publicIps, '10.0.0.1'], {
      allowPrivateNetworks: true,
    });
    expect(error).toBeNull();
    expect(address).toHaveLength(3);
  });

  test.each([false, true])(
    'a name without addresses is unresolved (private networks: %p)',
    async (allowed) => {
      const { error } = await lookUp(async () => [], { allowPrivateNetworks: allowed });
      expect(error).toBeInstanceOf(UnresolvedHostError);
    },
  );

  test('a resolver that fails is unresolved, with its error as the cause', async () => {
    const failure = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const { error } = await lookUp(() => Promise.reject(failure));
    expect(error).toBeInstanceOf(UnresolvedHostError);
    expect(error?.cause).toBe(failure);
  });
});
