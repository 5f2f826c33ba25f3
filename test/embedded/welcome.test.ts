import { expect, test } from '@jest/globals';
import { welcomeText } from '../../src/development/start/welcome.ts';

const options = {
  url: 'http://127.0.0.1:3000',
  adminUrl: 'http://127.0.0.1:3001',
  dataDir: '.data',
  secrets: { operatorApiKey: `op_${'x'.repeat(43)}`, isOperatorKeyNew: true },
  demo: {
    apiKey: `pk_sandbox_${'0'.repeat(16)}_${'x'.repeat(43)}`,
    venueId: '01a1fdca-14f8-7565-ab69-6059e26a1fea',
    webhookUrl: 'http://127.0.0.1:29999/webhooks',
    webhookSecretKey: 'whsec_secret',
    tomorrow: { date: '2026-11-22', slotId: undefined },
  },
};

test('the operator key is shown in the run that makes it only, that of webhooks never', () => {
  const later = { ...options, secrets: { ...options.secrets, isOperatorKeyNew: false } };
  expect(welcomeText(options)).toContain(options.secrets.operatorApiKey);
  expect(welcomeText(later)).not.toContain(options.secrets.operatorApiKey);
  expect(welcomeText(options)).not.toContain('whsec_secret');
});
