import { expect, test } from '@jest/globals';
import { welcomeText } from '../../src/development/start/welcome.ts';

const withoutDemo = {
  ...{ url: 'http://127.0.0.1:3000', adminUrl: 'http://127.0.0.1:3001', dataDir: '.data' },
  secrets: { operatorApiKey: `op_${'x'.repeat(43)}`, isOperatorKeyNew: true },
};
const options = {
  ...withoutDemo,
  demo: {
    apiKey: `pk_sandbox_${'0'.repeat(16)}_${'x'.repeat(43)}`,
    venueId: '01a1fdca-14f8-7565-ab69-6059e26a1fea',
    webhookUrl: 'http://127.0.0.1:29999/webhooks',
    webhookSecretKey: 'whsec_secret',
    tomorrow: { date: '2026-11-22', slotId: 'koramangala-sports-arena-full-turf_20261122T0030Z' },
  },
};

test('every line fits 80 columns', () => {
  expect(
    welcomeText(options)
      .split('\n')
      .filter((line) => line.length > 80),
  ).toEqual([]);
});

test('each interface is named with its reference', () => {
  for (const url of [options.url, options.adminUrl]) {
    expect(welcomeText(options)).toMatch(new RegExp(`^ {2}\\S+ API +${url}/api/v1`, 'm'));
    expect(welcomeText(options)).toMatch(new RegExp(`^ {2}\\S+ docs +${url}/docs$`, 'm'));
  }
});

test('the quickstart is named where there is a key for it', () => {
  expect(welcomeText(options)).toContain(`${options.url}/docs/quickstart`);
  expect(welcomeText(withoutDemo)).not.toContain('quickstart');
});

test('the operator key is shown in the run that makes it only, that of webhooks never', () => {
  const later = { ...options, secrets: { ...options.secrets, isOperatorKeyNew: false } };
  expect(welcomeText(options)).toContain(options.secrets.operatorApiKey);
  expect(welcomeText(later)).not.toContain(options.secrets.operatorApiKey);
  expect(welcomeText(options)).not.toContain('whsec_secret');
});

test('without a free slot it offers no hold, and without a demo no key', () => {
  const full = { ...options, demo: { ...options.demo, tomorrow: { date: '2026-11-22', slotId: undefined } } };
  expect(welcomeText(full)).not.toContain('partner/holds');
  expect(welcomeText(full)).toContain('availability');
  expect(welcomeText(withoutDemo)).not.toContain('KEY=');
});
