import { expect, test } from '@jest/globals';
import { htmlReport } from '../../packages/client/src/certification/html-report.ts';
import type { Report, ScenarioOutcome } from '../../packages/client/src/certification/report.ts';
import { summaryOf, verdictOf } from '../../packages/client/src/certification/report.ts';

const scenario = (outcome: ScenarioOutcome, finding: string | null = null) => ({
  id: `is-${outcome}`,
  level: 3 as const,
  title: 'A title',
  outcome,
  duration_ms: 12,
  finding,
  remedy: outcome === 'failed' ? 'Mend <it>.' : null,
});

test('the page needs no other file, and shows foreign content as text', () => {
  const scenarios = [scenario('failed', '<script>alert("1")</script> & more'), scenario('passed')];
  const summary = summaryOf(scenarios);
  const report: Report = {
    format: 'partner-booking-certification/1',
    mode: 'partner',
    suite_version: '1.0.0',
    partner_id: '0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01',
    integration: '<b>Box & Office</b>',
    base_url: 'http://127.0.0.1:3000',
    started_at: '2026-11-23T10:00:00.000Z',
    ended_at: '2026-11-23T10:01:00.000Z',
    verdict: verdictOf(summary),
    summary,
    scenarios,
  };
  const page = htmlReport(report);
  expect(page).toContain('&lt;b&gt;Box &amp; Office&lt;/b&gt;');
  expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; more');
  expect(page).toContain('Mend &lt;it&gt;.');
  expect(page).not.toMatch(/<script|<b>|(?:src|href)=|@import|url\(/);
  expect(page).toContain('1 passed, 1 failed, 0 not tried');
});
