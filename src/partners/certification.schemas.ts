import Joi from 'joi';
import SUITE from '../../docs/certification-suite.json' with { type: 'json' };
import { EXAMPLE } from '../http/example-values.ts';
import { instant, instantNotAfter, list, prose, text, uuid } from '../http/fields.ts';
import { count, id, named, object, orNull, timestamp } from '../http/response-fields.ts';
import { type CertificationReport, OUTCOMES, REPORT_FORMAT, VERDICTS } from './certification.rules.ts';

const MAX_SCENARIOS = 200;

const scenario = Joi.object({
  id: text(80).required().example('confirm-answer-lost'),
  level: Joi.number().integer().min(1).max(20).required().description('The higher, the harder.').example(3),
  title: text(200).required().example('The response to a confirm is lost'),
  outcome: Joi.string()
    .valid(...OUTCOMES)
    .required()
    .example('passed'),
  duration_ms: Joi.number().integer().min(0).required().example(412),
  finding: prose(4000)
    .allow(null)
    .required()
    .description('What happened, or why it was not tried; null if it passed.')
    .example(null),
  remedy: prose(4000).allow(null).required().description('What to fix; null unless it failed.').example(null),
});

export const certificationReport = named(
  'CertificationReport',
  Joi.object<CertificationReport>({
    format: Joi.string().valid(REPORT_FORMAT).required().example(REPORT_FORMAT),
    mode: Joi.string()
      .valid('partner')
      .required()
      .description('A report of mode service is about a deployment, not about a partner.')
      .example('partner'),
    suite_version: Joi.string()
      .pattern(/^\d{1,4}(?:\.\d{1,4}){2}$/)
      .messages({ 'string.pattern.base': 'must be a version such as 1.0.0' })
      .required()
      .description('Not older than the suite of this release. The scenarios of a newer suite are not checked.')
      .example(SUITE.version),
    partner_id: uuid().required().description('The id of the partner in the sandbox.').example(EXAMPLE.partnerId),
    integration: text(120).required().description('The name of the certified integration.').example('Box Office'),
    base_url: text(2048).required().example('https://sandbox.bookings.example'),
    started_at: instantNotAfter('ended_at').required().example(EXAMPLE.now),
    ended_at: instant().required().description('Not in the future.').example(EXAMPLE.later),
    verdict: Joi.string()
      .valid(...VERDICTS)
      .required()
      .description('`incomplete`: none failed, and at least one could not be tried.')
      .example('passed'),
    summary: Joi.object({
      passed: count(1).required(),
      failed: count(0).required(),
      not_tried: count(0).required(),
    })
      .required()
      .description('Scenarios by outcome.'),
    scenarios: list(scenario, MAX_SCENARIOS)
      .min(1)
      .unique('id')
      .required()
      .description('All scenarios of the suite, including those that were not tried.'),
  }).description(
    'The unchanged output of `partner certify --report-json`, complete and without a failed scenario. In a sandbox its partner_id must be that of the partner; in production it is not checked, because ids differ. It replaces an earlier report.',
  ),
);

export const certificationSummary = named(
  'CertificationSummary',
  object({
    integration: Joi.string().example('Box Office'),
    verdict: Joi.string()
      .valid(...VERDICTS)
      .example('passed'),
    passed: count(48),
    not_tried: count(0),
    suite_version: Joi.string().example('1.0.0'),
    ended_at: timestamp().description('When the run ended, by the clock of the machine that made the report.'),
  }),
);

export const attachedReport = named(
  'AttachedReport',
  object({
    partner_id: id(EXAMPLE.partnerId),
    attached_at: orNull(timestamp()).description('Null if no report is attached.').example(EXAMPLE.later),
    report: orNull(certificationReport).description('Null if none is attached.'),
  }),
);
