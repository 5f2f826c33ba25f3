import { expect, test } from '@jest/globals';
import { htmlReport } from '../../packages/client/src/certification/html-report.ts';
import type { Report } from '../../packages/client/src/certification/report.ts';
import { certificationReport } from '../partners/certification-report.ts';

test('the page needs no other file, and shows foreign content as text', () => {
  const report = certificationReport('any', ['failed'], { integration: '<b>Box & Office</b>' }) as Report;
  const [failed] = report.scenarios;
  Object.assign(failed ?? {}, { finding: '<script>alert("1")</script> & more', remedy: 'Mend <it>.' });
  const page = htmlReport(report);
  expect(page).toContain('&lt;b&gt;Box &amp; Office&lt;/b&gt;');
  expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; more');
  expect(page).toContain('Mend &lt;it&gt;.');
  expect(page).not.toMatch(/<script|<b>|(?:src|href)=|@import|url\(/);
  expect(page).toContain(`${report.summary.passed} passed, 1 failed, 0 not tried`);
});
