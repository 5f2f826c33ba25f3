import { fieldError } from '../domain/errors.ts';
import { inTransaction } from '../platform/mongo.ts';
import { omitUndefined } from '../platform/objects.ts';
import { type CertificationReport, faultOfReport } from './certification.rules.ts';
import type { CertificationReportRow, CertificationSummary, PartnerRow } from './partners.model.ts';
import { getPartner, type PartnerDeps, requirePartner } from './partners.service.ts';
import { certifyPartnerRow, findCertificationReport, replaceCertificationReport } from './partners.store.ts';

export type Certification = { notes?: string; report?: CertificationReport };

/**
 * Records that the partner passed certification; the date of the first one stays. Notes and report are replaced only if
 * the call has them. One transaction writes everything.
 * @throws DomainError PARTNER_NOT_FOUND, VALIDATION_ERROR for a report that is of another partner, incomplete,
 * inconsistent or failed
 */
export async function certifyPartner(
  deps: PartnerDeps,
  partnerId: string,
  { notes, report }: Certification,
): Promise<PartnerRow> {
  const now = deps.clock.now();
  await getPartner(deps, partnerId);
  const fault = report && faultOfReport(report, { partnerId, mode: deps.config.serviceMode, now });
  if (fault !== undefined) throw fieldError(fault.path, fault.message);
  const replacements = omitUndefined({
    certificationNotes: notes,
    certificationSummary: report && summaryOf(report),
  });
  const partner = await inTransaction(deps.db, async (tx) => {
    if (report !== undefined)
      await replaceCertificationReport(deps.db, { _id: partnerId, report, attachedAt: now }, tx);
    return certifyPartnerRow(deps.db, partnerId, now, replacements, tx);
  });
  return requirePartner(partner);
}

/** The newest attached report, null if there is none. @throws DomainError PARTNER_NOT_FOUND */
export async function getCertificationReport(
  deps: PartnerDeps,
  partnerId: string,
): Promise<CertificationReportRow | null> {
  await getPartner(deps, partnerId);
  return findCertificationReport(deps.db, partnerId);
}

function summaryOf(report: CertificationReport): CertificationSummary {
  const { integration, verdict, summary, suite_version: suiteVersion, ended_at: endedAt } = report;
  const { passed, not_tried: notTried } = summary;
  return { integration, verdict, passed, notTried, suiteVersion, endedAt };
}
