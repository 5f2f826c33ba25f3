import type { PageQuery } from '../http/fields.ts';
import { pageQuery } from '../http/fields.ts';
import { listOf, pageOf } from '../http/response-fields.ts';
import type { Operator, Route } from '../http/route.ts';
import { created, listing, noContent, ok, route } from '../http/route.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import { encodeCursor } from '../platform/pagination.ts';
import type { IssuedKey } from './api-keys.service.ts';
import { issueApiKey, listApiKeys, revokeApiKey, rotateApiKey } from './api-keys.service.ts';
import { attachedReport } from './certification.schemas.ts';
import type { Certification } from './certification.service.ts';
import { certifyPartner, getCertificationReport } from './certification.service.ts';
import type { ApiKeyRow, CertificationSummary, PartnerRow } from './partners.model.ts';
import type { IssueKeyBody, PartnerBody, PartnerChange, RotateKeyBody } from './partners.schemas.ts';
import {
  apiKey as apiKeySchema,
  certifyPartnerBody,
  createPartnerBody,
  issuedApiKey,
  issueKeyBody,
  keyIdParam,
  partnerIdParam,
  partner as partnerSchema,
  rotateKeyBody,
  updatePartnerBody,
} from './partners.schemas.ts';
import type { PartnerDeps } from './partners.service.ts';
import { createPartner, getPartner, listPartners, updatePartner } from './partners.service.ts';

type PartnerParams = { partnerId: string };
type KeyParams = PartnerParams & { keyId: string };

const PREFIX = '/api/v1/operator/partners';

export function operatorPartnerRoutes(deps: PartnerDeps): Route<Operator>[] {
  return [
    route<Operator, unknown, unknown, PartnerBody>({
      method: 'post',
      path: PREFIX,
      operationId: 'createPartner',
      tag: 'Partners',
      summary: 'Register a partner',
      body: createPartnerBody,
      responses: { 201: { description: 'The partner, active and not yet certified.', body: partnerSchema } },
      errors: [],
      handle: async ({ body: { name, contact_email: contactEmail } }) =>
        created(partnerView(await createPartner(deps, { name, contactEmail }))),
    }),
    route<Operator, unknown, PageQuery>({
      method: 'get',
      path: PREFIX,
      operationId: 'listPartners',
      tag: 'Partners',
      summary: 'List all partners, oldest first',
      query: pageQuery,
      responses: { 200: { description: 'A page of partners.', body: pageOf(partnerSchema) } },
      errors: [],
      handle: async ({ query: { cursor: after, limit } }) => {
        const { rows, next } = await listPartners(deps.db, { after, limit });
        return listing(rows.map(partnerView), encodeCursor(next));
      },
    }),
    route<Operator, PartnerParams>({
      method: 'get',
      path: `${PREFIX}/:partnerId`,
      operationId: 'getPartner',
      tag: 'Partners',
      summary: 'Read a partner',
      params: { partnerId: partnerIdParam },
      responses: { 200: { description: 'The partner.', body: partnerSchema } },
      errors: ['PARTNER_NOT_FOUND'],
      handle: async ({ params }) => ok(partnerView(await getPartner(deps, params.partnerId))),
    }),
    route<Operator, PartnerParams, unknown, PartnerChange>({
      method: 'patch',
      path: `${PREFIX}/:partnerId`,
      operationId: 'updatePartner',
      tag: 'Partners',
      summary: 'Change, suspend or reactivate a partner',
      params: { partnerId: partnerIdParam },
      body: updatePartnerBody,
      responses: { 200: { description: 'The partner as it is now.', body: partnerSchema } },
      errors: ['PARTNER_NOT_FOUND'],
      handle: async ({ params, body: { contact_email: contactEmail, ...same } }) =>
        ok(
          partnerView(await updatePartner(deps, params.partnerId, omitUndefined({ ...same, contactEmail }))),
        ),
    }),
    ...certificationRoutes(deps),
    ...keyRoutes(deps),
  ];
}

function certificationRoutes(deps: PartnerDeps): Route<Operator>[] {
  return [
    route<Operator, PartnerParams, unknown, Certification>({
      method: 'post',
      path: `${PREFIX}/:partnerId/certify`,
      operationId: 'certifyPartner',
      tag: 'Partners',
      summary: 'Certify a partner for production',
      params: { partnerId: partnerIdParam },
      body: certifyPartnerBody,
      responses: {
        200: { description: 'The partner, certified; the first date stays.', body: partnerSchema },
      },
      errors: ['PARTNER_NOT_FOUND'],
      handle: async ({ params, body }) => ok(partnerView(await certifyPartner(deps, params.partnerId, body))),
    }),
    route<Operator, PartnerParams>({
      method: 'get',
      path: `${PREFIX}/:partnerId/certification-report`,
      operationId: 'getCertificationReport',
      tag: 'Partners',
      summary: 'Read the report that was attached when the partner was certified',
      params: { partnerId: partnerIdParam },
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

function keyRoutes(deps: PartnerDeps): Route<Operator>[] {
  return [
    route<Operator, PartnerParams, unknown, IssueKeyBody>({
      method: 'post',
      path: `${PREFIX}/:partnerId/keys`,
      operationId: 'issueApiKey',
      tag: 'API keys',
      summary: 'Issue an API key; it is shown this once',
      params: { partnerId: partnerIdParam },
      body: issueKeyBody,
      responses: { 201: { description: 'The key.', body: issuedApiKey } },
      errors: ['PARTNER_NOT_FOUND', 'PARTNER_NOT_CERTIFIED'],
      handle: async ({ params, body }) => {
        const input = { label: body.label ?? null, expiresAt: body.expires_at ?? null };
        return created(issuedKeyView(await issueApiKey(deps, params.partnerId, input)));
      },
    }),
    route<Operator, KeyParams, unknown, RotateKeyBody>({
      method: 'post',
      path: `${PREFIX}/:partnerId/keys/:keyId/rotate`,
      operationId: 'rotateApiKey',
      tag: 'API keys',
      summary: 'Replace a key that is in force; the new one is shown this once',
      description: 'The new key has the label of the old one and does not expire.',
      params: { partnerId: partnerIdParam, keyId: keyIdParam },
      subject: keyOf(deps),
      body: rotateKeyBody,
      responses: {
        201: { description: 'The new key; the old one ends after the overlap.', body: issuedApiKey },
      },
      errors: ['PARTNER_NOT_FOUND', 'KEY_NOT_FOUND', 'PARTNER_NOT_CERTIFIED'],
      handle: async ({ params: { partnerId, keyId }, body }) =>
        created(issuedKeyView(await rotateApiKey(deps, partnerId, keyId, body.overlap_seconds))),
    }),
    route<Operator, PartnerParams>({
      method: 'get',
      path: `${PREFIX}/:partnerId/keys`,
      operationId: 'listApiKeys',
      tag: 'API keys',
      summary: "List a partner's keys",
      params: { partnerId: partnerIdParam },
      responses: {
        200: {
          description: 'All keys, revoked ones too, without the keys themselves.',
          body: listOf(apiKeySchema),
        },
      },
      errors: ['PARTNER_NOT_FOUND'],
      handle: async ({ params }) => {
        const keys = await listApiKeys(deps, params.partnerId);
        return listing(keys.map(listedKeyView));
      },
    }),
    route<Operator, KeyParams>({
      method: 'delete',
      path: `${PREFIX}/:partnerId/keys/:keyId`,
      operationId: 'revokeApiKey',
      tag: 'API keys',
      summary: 'Revoke a key',
      params: { partnerId: partnerIdParam, keyId: keyIdParam },
      subject: keyOf(deps),
      responses: { 204: { description: 'The key is refused from the next call on.' } },
      errors: ['KEY_NOT_FOUND'],
      handle: async ({ params }) => {
        await revokeApiKey(deps, params.partnerId, params.keyId);
        return noContent();
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

function keyOf(deps: PartnerDeps) {
  return async ({ partnerId, keyId }: KeyParams) => {
    const key = (await listApiKeys(deps, partnerId)).find(({ _id }) => _id === keyId);
    return key === undefined ? null : listedKeyView(key);
  };
}

function listedKeyView(key: ApiKeyRow): Record<string, unknown> {
  return {
    ...keyView(key),
    revoked_at: key.revokedAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}

function issuedKeyView({ apiKey, key }: IssuedKey): Record<string, unknown> {
  const { key_id, ...rest } = keyView(key);
  return { key_id, api_key: apiKey, ...rest };
}

function keyView(key: ApiKeyRow) {
  return {
    key_id: key._id,
    prefix: key.prefix,
    label: key.label,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
  };
}
