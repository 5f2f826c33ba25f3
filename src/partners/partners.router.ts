import { pageQuery } from '../http/fields.ts';
import { pageOf } from '../http/response-fields.ts';
import { created, type Operator, ok, paged, type Route, routesOf } from '../http/route.ts';
import { camelCased } from '../platform/objects.ts';
import { attachedReport } from './certification.schemas.ts';
import { certifyPartner, getCertificationReport } from './certification.service.ts';
import type { CertificationSummary, PartnerRow } from './partners.model.ts';
import * as schemas from './partners.schemas.ts';
import { createPartner, getPartner, listPartners, type PartnerDeps, updatePartner } from './partners.service.ts';

const operatorRoute = routesOf<Operator>('Partners');

const PREFIX = '/api/v1/operator/partners';

export function operatorPartnerRoutes(deps: PartnerDeps): Route<Operator>[] {
  return [
    operatorRoute.post(PREFIX, 'createPartner', {
      summary: 'Register a partner',
      body: schemas.createPartnerBody,
      responses: { 201: { description: 'The partner, active and not yet certified.', body: schemas.partner } },
      handle: async ({ body }) => created(partnerView(await createPartner(deps, camelCased(body)))),
    }),
    operatorRoute.get(PREFIX, 'listPartners', {
      summary: 'List all partners, oldest first',
      query: pageQuery,
      responses: { 200: { description: 'A page of partners.', body: pageOf(schemas.partner) } },
      handle: async ({ query: { cursor: after, limit } }) =>
        paged(await listPartners(deps.db, { after, limit }), partnerView),
    }),
    operatorRoute.get(`${PREFIX}/:partnerId`, 'getPartner', {
      summary: 'Read a partner',
      params: { partnerId: schemas.partnerIdParam },
      responses: { 200: { description: 'The partner.', body: schemas.partner } },
      errors: ['PARTNER_NOT_FOUND'],
      handle: async ({ params }) => ok(partnerView(await getPartner(deps, params.partnerId))),
    }),
    operatorRoute.patch(`${PREFIX}/:partnerId`, 'updatePartner', {
      summary: 'Change, suspend or reactivate a partner',
      params: { partnerId: schemas.partnerIdParam },
      body: schemas.updatePartnerBody,
      responses: { 200: { description: 'The partner as it is now.', body: schemas.partner } },
      errors: ['PARTNER_NOT_FOUND'],
      handle: async ({ params, body }) =>
        ok(partnerView(await updatePartner(deps, params.partnerId, camelCased(body)))),
    }),
    operatorRoute.post(`${PREFIX}/:partnerId/certify`, 'certifyPartner', {
      summary: 'Certify a partner for production',
      params: { partnerId: schemas.partnerIdParam },
      body: schemas.certifyPartnerBody,
      responses: {
        200: { description: 'The certified partner. An earlier `certified_at` stays.', body: schemas.partner },
      },
      errors: ['PARTNER_NOT_FOUND'],
      handle: async ({ params, body }) => ok(partnerView(await certifyPartner(deps, params.partnerId, body))),
    }),
    operatorRoute.get(`${PREFIX}/:partnerId/certification-report`, 'getCertificationReport', {
      summary: 'Read the report that was attached when the partner was certified',
      params: { partnerId: schemas.partnerIdParam },
      responses: { 200: { description: 'The report that was attached last.', body: attachedReport } },
      errors: ['PARTNER_NOT_FOUND'],
      handle: async ({ params: { partnerId } }) => {
        const attached = await getCertificationReport(deps, partnerId);
        const [at, report] = [attached?.attachedAt.toISOString() ?? null, attached?.report ?? null];
        return ok({ partner_id: partnerId, attached_at: at, report });
      },
    }),
  ];
}

function partnerView(partner: PartnerRow): Record<string, unknown> {
  return {
    partner_id: partner._id,
    name: partner.name,
    contact_email: partner.contactEmail,
    status: partner.status,
    certified_at: partner.certifiedAt?.toISOString() ?? null,
    certification_notes: partner.certificationNotes ?? null,
    certification_report: summaryView(partner.certificationSummary),
    created_at: partner.createdAt.toISOString(),
  };
}

function summaryView(summary: CertificationSummary | undefined): Record<string, unknown> | null {
  if (summary === undefined) return null;
  return {
    integration: summary.integration,
    verdict: summary.verdict,
    passed: summary.passed,
    not_tried: summary.notTried,
    suite_version: summary.suiteVersion,
    ended_at: summary.endedAt.toISOString(),
  };
}
