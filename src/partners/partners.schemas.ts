import Joi from 'joi';
import { EXAMPLE } from '../http/example-values.ts';
import { instant, pathId, prose, text } from '../http/fields.ts';
import { id, named, object, orNull, timestamp } from '../http/response-fields.ts';
import { certificationReport, certificationSummary } from './certification.schemas.ts';
import type { Certification } from './certification.service.ts';

type PartnerBody = { name: string; contact_email: string };

const partnerName = () => text(120).example('Turf Town');
const contactEmail = () => Joi.string().email({ tlds: false }).max(254).example('integrations@turftown.example');
const status = () =>
  Joi.string()
    .valid('active', 'suspended')
    .description(
      'The keys of a suspended partner are rejected, and its due deliveries are cancelled. Once active again, it can `recover` the missed events.',
    )
    .example('active');

export const createPartnerBody = Joi.object<PartnerBody>({
  name: partnerName().required(),
  contact_email: contactEmail().required(),
}).required();

type PartnerChange = Partial<PartnerBody> & { status?: 'active' | 'suspended' };

export const updatePartnerBody = Joi.object<PartnerChange>({
  name: partnerName(),
  contact_email: contactEmail(),
  status: status(),
}).required();

export const certifyPartnerBody = Joi.object<Certification>({
  notes: prose(2000).description('Replaces earlier notes.').example('All scenarios of the certification passed.'),
  report: certificationReport,
}).required();

type IssueKeyBody = { label?: string; expires_at?: Date };

export const issueKeyBody = Joi.object<IssueKeyBody>({
  label: text(80).description('A name that tells keys apart.').example('Checkout service'),
  expires_at: instant().description('When the key expires, in the future; absent: it does not expire.'),
}).required();

type RotateKeyBody = { overlap_seconds: number };

export const rotateKeyBody = Joi.object<RotateKeyBody>({
  overlap_seconds: Joi.number()
    .integer()
    .min(0)
    .max(604_800)
    .default(0)
    .description('How long the old key stays valid, at most until its own expires_at.')
    .example(86_400),
}).required();

export const partnerIdParam = pathId('`partner_id` as listed.', EXAMPLE.partnerId);
export const keyIdParam = pathId('`key_id` as listed.', EXAMPLE.keyId);

export const partner = named(
  'Partner',
  object({
    partner_id: id(EXAMPLE.partnerId),
    name: partnerName(),
    contact_email: contactEmail(),
    status: status(),
    certified_at: orNull(timestamp()).description('Null before certification.').example(null),
    certification_notes: orNull(Joi.string()).description('The latest notes of a certification.').example(null),
    certification_report: orNull(certificationSummary).description('From the latest attached report.').example(null),
    created_at: timestamp(),
  }),
);

const keyFields = {
  key_id: id(EXAMPLE.keyId),
  prefix: Joi.string().description('The beginning of the key, to recognise it.').example('pk_sandbox_5f3a9c1e'),
  label: Joi.string().allow(null).example('Checkout service'),
  created_at: timestamp(),
  expires_at: orNull(timestamp()).example(null),
};

export const apiKey = named(
  'ApiKey',
  object({
    ...keyFields,
    revoked_at: orNull(timestamp()).description('Null unless the key is revoked.').example(null),
    last_used_at: orNull(timestamp()).description('When it was last used, to the minute; null if never.').example(null),
  }),
);

export const issuedApiKey = named(
  'IssuedApiKey',
  object({
    ...keyFields,
    api_key: Joi.string()
      .description('The key itself. It is shown only here; the service stores its hash.')
      .example('pk_sandbox_5f3a9c1e_example-of-a-key-that-opens-nothing'),
  }),
);
