import type { Report, ScenarioOutcome, ScenarioReport } from './report.ts';
import { PROOF_NOTES } from './report.ts';
import type { Level } from './scenario.ts';
import { LEVELS } from './scenarios.ts';

const OUTCOMES: Record<ScenarioOutcome, string> = {
  passed: 'passed',
  failed: 'failed',
  not_tried: 'not tried',
};

const STYLE = `
:root { color-scheme: light dark; --text: #1c2733; --soft: #536170; --back: #fff; --line: #d5dce3; --passed: #17692f; --failed: #a8201a; --not_tried: #7a5600; }
@media (prefers-color-scheme: dark) { :root { --text: #e6ebf0; --soft: #a4b1be; --back: #14191f; --line: #37424d; --passed: #74d08c; --failed: #ff9b94; --not_tried: #e8c268; } }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
h1 { margin-bottom: 0; } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; } dt, .soft { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
ul { list-style: none; padding: 0; } li { padding: .5rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; } li p { margin: .25rem 0 0; }
code { font-size: .9em; } .passed { color: var(--passed); } .failed { color: var(--failed); } .not_tried { color: var(--not_tried); }
`;

/** The report as one self-contained HTML page without scripts. Foreign text is escaped. */
export function htmlReport(report: Report): string {
  const { integration, verdict, summary, mode, scenarios } = report;
  const title = `Certification of ${escaped(integration)}: ${verdict}`;
  const toFix = scenarios.filter(({ outcome }) => outcome === 'failed');
  const levels = (Object.keys(LEVELS) as unknown as Level[]).map(Number) as Level[];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Certification of ${escaped(integration)}</h1>
<p><strong class="${verdict === 'incomplete' ? 'not_tried' : verdict}">${verdict}</strong>:
${summary.passed} passed, ${summary.failed} failed, ${summary.not_tried} not tried</p>
<dl>${factsOf(report)}</dl>
<p class="soft">${escaped(PROOF_NOTES[mode])}</p>
${toFix.length === 0 ? '' : `<h2>What to fix</h2>\n<ul>\n${toFix.map(item).join('\n')}\n</ul>`}
${levels.map((level) => sectionOf(level, scenarios)).join('\n')}
</main>
</body>
</html>
`;
}

function factsOf(report: Report): string {
  const facts = {
    Mode: report.mode,
    Partner: report.partner_id,
    Sandbox: report.base_url,
    Begun: report.started_at,
    Ended: report.ended_at,
    Suite: report.suite_version,
  };
  return Object.entries(facts)
    .map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value)}</dd>`)
    .join('');
}

function sectionOf(level: Level, scenarios: readonly ScenarioReport[]): string {
  const items = scenarios.filter((each) => each.level === level).map(item);
  return `<h2>${level}. ${LEVELS[level]}</h2>\n<ul>\n${items.join('\n')}\n</ul>`;
}

function item({ id, title, outcome, duration_ms: ms, finding, remedy }: ScenarioReport): string {
  const details = [
    finding === null ? '' : `<p>${escaped(finding)}</p>`,
    remedy === null ? '' : `<p><strong>Fix:</strong> ${escaped(remedy)}</p>`,
  ].join('');
  const took = outcome === 'not_tried' ? '' : ` <span class="soft">${ms} ms</span>`;
  return `<li><strong class="${outcome}">${OUTCOMES[outcome]}</strong> ${escaped(title)} <code>${escaped(id)}</code>${took}${details}</li>`;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
