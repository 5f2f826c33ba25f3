import SUITE from '../../docs/certification-suite.json' with { type: 'json' };
import { type CertificationReport, isOfNewerSuite } from '../partners/certification.rules.ts';
import { getCertificationReport } from '../partners/certification.service.ts';
import { getPartner } from '../partners/partners.service.ts';
import { Badge, Facts, Heading, Section, Table, When } from './parts.tsx';
import type { PageHandler } from './request.ts';

/** The report that was attached when a partner was certified, scenario by scenario. */
export const certificationPage: PageHandler = async (deps, { id }) => {
  const partner = await getPartner(deps, id);
  const attached = await getCertificationReport(deps, partner._id);
  const timeZone = deps.config.defaultTimeZone;
  const at = (instant: Date | undefined) => <When at={instant} timeZone={timeZone} />;
  const report = attached?.report;
  return {
    title: `Certification of ${partner.name}`,
    section: '/partners',
    content: (
      <>
        <Heading title={`Certification of ${partner.name}`}>
          {report === undefined ? null : <Badge state={report.verdict} />}
        </Heading>
        <p>
          <a href={`/partners/${partner._id}`}>{partner.name}</a>
        </p>
        {report === undefined ? (
          <p class="faint">No report is attached. Attach one where you certify the partner.</p>
        ) : (
          <>
            <Section id="run" title="Run">
              <Facts
                facts={[
                  ['Integration', report.integration],
                  ['Service', report.base_url],
                  ['Began', at(report.started_at)],
                  ['Ended', at(report.ended_at)],
                  ['Attached', at(attached?.attachedAt)],
                  ['Version of the scenarios', versionOf(report)],
                  ['Partner in the sandbox', <code>{report.partner_id}</code>],
                ]}
              />
              <p class="faint">The partner made this report; its times come from the partner's clock.</p>
            </Section>
            <Section id="scenarios" title="Scenarios">
              <Table
                caption="Scenarios of the certification"
                columns={['Level', 'Scenario', 'Outcome', 'Found']}
                empty="The report has no scenarios."
                rows={report.scenarios.map(({ level, title, outcome, finding, remedy }) => [
                  level,
                  title,
                  <Badge state={outcome} />,
                  [finding, remedy].filter((each) => each !== null).join(' '),
                ])}
              />
            </Section>
          </>
        )}
      </>
    ),
  };
};

function versionOf(report: CertificationReport): string {
  return isOfNewerSuite(report)
    ? `${report.suite_version}, newer than this service’s ${SUITE.version}: the report may lack some of its scenarios`
    : report.suite_version;
}
