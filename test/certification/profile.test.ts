import { expect, test } from '@jest/globals';
import { ProfileError, parseProfile } from '../../packages/client/src/certification/profile.ts';

const PROFILE = {
  name: 'Box Office',
  actions: { url: 'http://127.0.0.1:4000/certification' },
  webhook_url: 'http://127.0.0.1:4000/webhooks',
  proxy_port: 4010,
};

function faultsOf(profile: unknown): readonly string[] {
  try {
    parseProfile(typeof profile === 'string' ? profile : JSON.stringify(profile));
    return [];
  } catch (error) {
    if (error instanceof ProfileError) return error.faults;
    throw error;
  }
}

test('a profile names the actions by an address or a command', () => {
  expect(parseProfile(JSON.stringify(PROFILE))).toEqual({
    name: 'Box Office',
    actions: PROFILE.actions,
    webhookUrl: PROFILE.webhook_url,
    proxyPort: 4010,
  });
  const actions = { command: ['node', 'certify.mjs'] };
  expect(parseProfile(JSON.stringify({ ...PROFILE, actions })).actions).toEqual(actions);
});

test('all faults of a profile are named together, with their fields', () => {
  const faults = faultsOf({ actions: { url: 'ftp://x', retries: 3 }, proxy_port: 0, colour: 'blue' });
  expect(faults.map((fault) => fault.split(':')[0])).toEqual([
    'colour',
    'name',
    'actions.retries',
    'actions.url',
    'webhook_url',
    'proxy_port',
  ]);
  for (const fault of faults) expect(fault).toMatch(/: .*(?:give|leave it out)/);
});

test.each([
  ['{"name": ', /^the file is not JSON/],
  [{ ...PROFILE, name: 'x'.repeat(121) }, /^name: give a text of 1 to 120 printable characters/],
  [{ ...PROFILE, name: 'Box\u202eOffice' }, /^name: give a text of 1 to 120 printable characters/],
  ['[]', /^the file must be a JSON object/],
  [{ ...PROFILE, actions: {} }, /^actions: give either url or command/],
  [{ ...PROFILE, actions: { url: 'http://x', command: ['x'] } }, /^actions: give either url or command/],
  [{ ...PROFILE, actions: { command: [] } }, /^actions\.command: give a list of texts/],
  [{ ...PROFILE, webhook_url: 'http://user:hidden@x' }, /^webhook_url: it must not have a user or a password/],
  [{ ...PROFILE, actions: { url: 'http://127.0.0.1:6000' } }, /^actions\.url: port 6000 is blocked by fetch/],
  [{ ...PROFILE, proxy_port: '4010' }, /^proxy_port: give a free port/],
  [{ ...PROFILE, proxy_port: 65_536 }, /^proxy_port: give a free port/],
])('%j has one fault', (profile, fault) => {
  expect(faultsOf(profile)).toEqual([expect.stringMatching(fault)]);
});
