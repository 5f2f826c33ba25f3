import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { EndpointUrlCheck, EndpointUrlRules } from '../../src/webhooks/sender/endpoint-url.ts';
import { checkEndpointUrl, parseEndpoint } from '../../src/webhooks/sender/endpoint-url.ts';
import type { ResolveAddresses } from '../../src/webhooks/sender/resolve-addresses.ts';
import { localNames } from './hostile-hosts.ts';

const publicIp = '93.184.215.14';

function resolvesTo(...addresses: string[]) {
  return jest.fn<ResolveAddresses>(async () => addresses);
}

function failsWith(code: string): ResolveAddresses {
  return async () => {
    throw Object.assign(new Error('lookup failed'), { code });
  };
}

/** Checks a URL as the service does when a partner sends it: first the text, then the host. */
async function checkText(text: string, rules: EndpointUrlRules): Promise<EndpointUrlCheck> {
  const endpoint = parseEndpoint(text, rules);
  return 'fault' in endpoint ? { ok: false, message: endpoint.fault } : checkEndpointUrl(endpoint.href, rules);
}

const check = (url: string, resolve: ResolveAddresses = resolvesTo(publicIp)) =>
  checkText(url, { allowPrivateNetworks: false, resolve });

const rejectedWith = (words: string) => ({ ok: false, message: expect.stringContaining(words) });
/** A temporary rejection: the name may have an address later. */
const unresolvedWith = (words: string) => ({ ...rejectedWith(words), isUnresolved: true });

afterEach(() => {
  jest.useRealTimers();
});

test('the allowed ports are the configured ones', async () => {
  const rules = {
    allowPrivateNetworks: false,
    ports: [{ first: 8443, last: 8444 }],
    resolve: resolvesTo(publicIp),
  };
  const verdicts = [8442, 8443, 8444, 8445, 443].map((port) =>
    checkEndpointUrl(`https://partner.example:${port}/`, rules),
  );
  expect((await Promise.all(verdicts)).map(({ ok }) => ok)).toEqual([false, true, true, false, false]);
});

describe('the text of an endpoint URL', () => {
  test.each(
    `https://partner.example/webhooks https://partner.example:8443/webhooks?tenant=7 https://partner.example:65535
    https://partner.example:443 https://partner.example:1024 HTTPS://PARTNER.EXAMPLE/ https://bücher.example/
    https://sub.domain.partner.example./path https://8.8.8.8/hook https://[2606:4700:4700::1111]:8443/hook
    https://localhost.partner.example/ https://notlocal/`.split(/\s+/),
  )('%s is allowed', async (url) => {
    expect(await check(url)).toEqual({ ok: true });
  });

  test.each([
    ['', 'not a valid absolute URL'],
    ['partner.example/webhooks', 'not a valid absolute URL'],
    ['https://', 'not a valid absolute URL'],
    ['https://partner.example:65536/', 'not a valid absolute URL'],
    ['https://partner.example:22/', 'names port 22, to which nothing is delivered; use one of 443, 1024-65535'],
    ['https://partner.example:1023/', 'names port 1023'],
    ['https://168.63.129.16:32526/vmSettings', 'not a public address'],
    ['http://partner.example/', 'must start with https://'],
    ['ftp://partner.example/', 'must start with https://'],
    ['javascript:alert(1)', 'must start with https://'],
    ['https://user:pass@partner.example/', 'user name or password'],
    ['https://user@partner.example/', 'user name or password'],
    ['https://partner.example/#top', 'fragment'],
    ['https://partner.example/#', 'fragment'],
    ['https://partner.example:0/', 'port 0'],
    [' https://partner.example/', 'white space'],
    ['ht\ttps://partner.example/', 'white space'],
    ['https://partner.example/\u0000', 'white space'],
    ['https://partner\u202e.example/', 'invisible'],
    ['https://part\u200bner.example/', 'invisible'],
    ['https://partner.example/\u3164', 'invisible'],
    ['https://partner.example\\@evil.example/hook', 'backslash'],
    ['https://partner.example/a\\b', 'backslash'],
    ['https:\\\\partner.example/', 'backslash'],
    ['https:partner.example/h', 'exactly two slashes'],
    ['https:///partner.example/h', 'exactly two slashes'],
    ['HTTPS:partner.example', 'exactly two slashes'],
    ['https://@partner.example/', '"@" before the path'],
    ['https://@partner.example?a', '"@" before the path'],
    ['https://partner.example/{tenant}/hook', 'braces'],
    ['https://{tenant}.partner.example/', 'braces'],
  ])('%j is rejected: %s', async (url, words) => {
    expect(await check(url)).toEqual(rejectedWith(words));
  });

  test('a URL may have 2,048 characters once encoded; the error for a longer one has both numbers', async () => {
    const url = 'https://partner.example/'.padEnd(2043, 'a');
    expect(await check(`${url}aaaaa`)).toEqual({ ok: true });
    for (const longer of ['aaaaaa', 'ü'])
      expect(await check(url + longer)).toEqual(rejectedWith('2049 characters long once encoded; at most 2048'));
  });

  test.each([
    ['https://PARTNER.example', 'https://partner.example/'],
    ['https://partner.example:443/a/../b?x=ü', 'https://partner.example/b?x=%C3%BC'],
    ['https://bücher.example/@', 'https://xn--bcher-kva.example/@'],
    ['https://partner.example/%7Btenant%7D?to=a@b', 'https://partner.example/%7Btenant%7D?to=a@b'],
  ])('%s is stored, shown and called as %s', (text, href) => {
    expect(parseEndpoint(text, { allowPrivateNetworks: false })).toEqual({ href });
  });

  test('a URL stored before these rules can still be called', async () => {
    for (const url of ['https:partner.example/h', 'https://partner.example/{tenant}'.padEnd(2048, 'ü')]) {
      const rules = { allowPrivateNetworks: false, resolve: resolvesTo(publicIp) };
      expect(await checkEndpointUrl(url, rules)).toEqual({ ok: true });
    }
  });
});

test('a name with Latin-1 letters is allowed in 20,000 repeated checks', () => {
  const faults = Array.from({ length: 20_000 }, () => {
    const endpoint = parseEndpoint('https://bücher.example/', { allowPrivateNetworks: false });
    return 'fault' in endpoint ? endpoint.fault : null;
  });
  expect(new Set(faults)).toEqual(new Set([null]));
});

describe('host names', () => {
  test.each(localNames)('%s is rejected by its name, although it resolves to a public address', async (host) => {
    expect(await check(`https://${host}/`)).toEqual(rejectedWith('only in a local network'));
  });

  test('the name is resolved without its root dot', async () => {
    const resolve = resolvesTo(publicIp);
    await check('https://partner.example./', resolve);
    expect(resolve.mock.calls).toEqual([['partner.example']]);
  });

  test.each([
    ['only a private address', ['10.0.0.7']],
    ['a private address after a public one', [publicIp, '10.0.0.7']],
    ['a private address before a public one', ['10.0.0.7', publicIp]],
    ['a public IPv4 and a private IPv6 address', [publicIp, 'fd00::7']],
    ['a v4-mapped address', ['::ffff:10.0.0.7']],
    ['the metadata service', ['169.254.169.254']],
    ['no address at all', []],
  ])('a name with %s is rejected without disclosing its addresses', async (_what, addresses) => {
    const verdict = await check('https://partner.example/', resolvesTo(...addresses));
    expect(verdict).toEqual(rejectedWith('resolves to an address that is not public'));
    for (const address of addresses) expect(JSON.stringify(verdict)).not.toContain(address);
  });

  test('a name with several public addresses is allowed', async () => {
    expect(await check('https://partner.example/', resolvesTo(publicIp, '2606:4700::1'))).toEqual({ ok: true });
  });

  test.each([
    ['ENOTFOUND', 'names the host partner.example, which does not resolve'],
    ['ENODATA', 'names the host partner.example, which does not resolve'],
    ['EAI_AGAIN', 'did not resolve in time'],
  ])('a name whose lookup fails with %s is rejected temporarily: it %s', async (code, words) => {
    expect(await check('https://partner.example/', failsWith(code))).toEqual(unresolvedWith(words));
  });

  test('if name servers do not answer, the URL is rejected after 3 seconds', async () => {
    jest.useFakeTimers();
    let verdict: unknown = 'waiting';
    const checking = check('https://partner.example/', () => new Promise(() => {})).then((result) => {
      verdict = result;
    });
    await jest.advanceTimersByTimeAsync(2_990);
    expect(verdict).toBe('waiting');
    await jest.advanceTimersByTimeAsync(20);
    await checking;
    expect(verdict).toEqual(unresolvedWith('did not resolve in time'));
  });
});

describe('in development, where private networks are allowed', () => {
  const checkInDevelopment = (url: string, resolve?: ResolveAddresses) =>
    checkText(url, { allowPrivateNetworks: true, ...(resolve && { resolve }) });

  test.each(['http://localhost:4000/', 'http://127.0.0.1:4000/hook', 'https://receiver.internal/', 'http://receiver/'])(
    '%s is allowed, and no name is resolved',
    async (url) => {
      const resolve = resolvesTo();
      expect(await checkInDevelopment(url, resolve)).toEqual({ ok: true });
      expect(resolve).not.toHaveBeenCalled();
    },
  );

  test.each([
    ['ftp://localhost/', 'must start with https://'],
    ['http://user:pass@localhost/', 'user name or password'],
    ['http://localhost/#x', 'fragment'],
  ])('%s is still rejected', async (url, words) => {
    expect(await checkInDevelopment(url)).toEqual(rejectedWith(words));
  });
});
