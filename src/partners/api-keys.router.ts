import { listOf } from '../http/response-fields.ts';
import { created, listing, noContent, type Operator, type Route, routesOf } from '../http/route.ts';
import { type IssuedKey, issueApiKey, listApiKeys, revokeApiKey, rotateApiKey } from './api-keys.service.ts';
import type { ApiKeyRow } from './partners.model.ts';
import * as schemas from './partners.schemas.ts';
import type { PartnerDeps } from './partners.service.ts';

const operatorRoute = routesOf<Operator>('API keys');

type PartnerParams = { partnerId: string };
type KeyParams = PartnerParams & { keyId: string };

const PATH = '/api/v1/operator/partners/:partnerId/keys';

export function apiKeyRoutes(deps: PartnerDeps): Route<Operator>[] {
  return [
    operatorRoute.post(PATH, 'issueApiKey', {
      summary: 'Issue an API key, which is shown only once',
      params: { partnerId: schemas.partnerIdParam },
      body: schemas.issueKeyBody,
      responses: { 201: { description: 'The key.', body: schemas.issuedApiKey } },
      errors: ['PARTNER_NOT_FOUND', 'PARTNER_NOT_CERTIFIED'],
      handle: async ({ params, body }) => {
        const input = { label: body.label ?? null, expiresAt: body.expires_at ?? null };
        return created(issuedKeyView(await issueApiKey(deps, params.partnerId, input)));
      },
    }),
    operatorRoute.post(`${PATH}/:keyId/rotate`, 'rotateApiKey', {
      summary: 'Replace a valid key; the new key is shown only once',
      description: 'The new key has the label of the old one and does not expire.',
      params: { partnerId: schemas.partnerIdParam, keyId: schemas.keyIdParam },
      subject: keyOf(deps),
      body: schemas.rotateKeyBody,
      responses: {
        201: { description: 'The new key; the old one ends after the overlap.', body: schemas.issuedApiKey },
      },
      errors: ['PARTNER_NOT_FOUND', 'KEY_NOT_FOUND', 'PARTNER_NOT_CERTIFIED'],
      handle: async ({ params: { partnerId, keyId }, body }) =>
        created(issuedKeyView(await rotateApiKey(deps, partnerId, keyId, body.overlap_seconds))),
    }),
    operatorRoute.get(PATH, 'listApiKeys', {
      summary: "List a partner's keys",
      params: { partnerId: schemas.partnerIdParam },
      responses: {
        200: {
          description: 'All keys, including revoked ones, without the secret part.',
          body: listOf(schemas.apiKey),
        },
      },
      errors: ['PARTNER_NOT_FOUND'],
      handle: async ({ params }) => {
        const keys = await listApiKeys(deps, params.partnerId);
        return listing(keys.map(listedKeyView));
      },
    }),
    operatorRoute.delete(`${PATH}/:keyId`, 'revokeApiKey', {
      summary: 'Revoke a key',
      params: { partnerId: schemas.partnerIdParam, keyId: schemas.keyIdParam },
      subject: keyOf(deps),
      responses: { 204: { description: 'The key is rejected from the next call on.' } },
      errors: ['KEY_NOT_FOUND'],
      handle: async ({ params }) => {
        await revokeApiKey(deps, params.partnerId, params.keyId);
        return noContent();
      },
    }),
  ];
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
