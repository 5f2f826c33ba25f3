import Joi from 'joi';
import { instant, prose, text } from '../http/fields.ts';

export type PartnerBody = { name: string; contact_email: string };

const contactEmail = () => Joi.string().email({ tlds: false }).max(254);

export const createPartnerBody = Joi.object<PartnerBody>({
  name: text(120).required(),
  contact_email: contactEmail().required(),
}).required();

export type PartnerChange = Partial<PartnerBody> & { status?: 'active' | 'suspended' };

export const updatePartnerBody = Joi.object<PartnerChange>({
  name: text(120),
  contact_email: contactEmail(),
  status: Joi.string().valid('active', 'suspended'),
}).required();

export const certifyPartnerBody = Joi.object<{ notes?: string }>({ notes: prose(2000) }).required();

export type IssueKeyBody = { label?: string; expires_at?: Date };

export const issueKeyBody = Joi.object<IssueKeyBody>({ label: text(80), expires_at: instant() }).required();
