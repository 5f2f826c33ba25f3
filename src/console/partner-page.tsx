import type { VNode } from 'preact';
import type { VenueRow } from '../catalog/venues/venues.service.ts';
import { findVenuesById } from '../catalog/venues/venues.store.ts';
import { listApiKeys } from '../partners/api-keys.service.ts';
import type { PartnerRow } from '../partners/partners.model.ts';
import { getPartner } from '../partners/partners.service.ts';
import { listGrantedVenueIds } from '../partners/partners.store.ts';
import { toChoices, venuesToChoose } from './choices.ts';
import { withQuery, words } from './format.rules.ts';
import { ApiForm, InputField, SelectField } from './forms.tsx';
import { Keys } from './partner-keys.tsx';
import { Badge, Facts, Heading, Section, When } from './parts.tsx';
import type { PageHandler } from './request.ts';

/** A partner with its keys and granted venues. */
export const partnerPage: PageHandler = async (deps, { id }) => {
  const partner = await getPartner(deps, id);
  const [keys, granted, venues] = await Promise.all([
    listApiKeys(deps, partner._id),
    listGrantedVenueIds(deps.db, partner._id).then((ids) => findVenuesById(deps.db, ids)),
    venuesToChoose(deps),
  ]);
  const timeZone = deps.config.defaultTimeZone;
  return {
    title: partner.name,
    section: '/partners',
    content: (
      <>
        <Heading title={partner.name}>
          <Badge state={partner.status} />
        </Heading>
        <div class="columns">
          <Section id="about" title="About">
            <Facts
              facts={[
                ['Contact', partner.contactEmail],
                ['Certified', <When at={partner.certifiedAt} timeZone={timeZone} />],
                ['Notes', partner.certificationNotes],
                ['Certification report', <ReportLink partner={partner} />],
                ['Since', <When at={partner.createdAt} timeZone={timeZone} />],
                ['Partner id', <code>{partner._id}</code>],
                ['See also', <RelatedPages id={partner._id} />],
              ]}
            />
            <StatusActions partner={partner} mode={deps.config.serviceMode} />
          </Section>
          <Grants partner={partner} granted={granted} venues={venues} />
        </div>
        <Keys partnerId={partner._id} keys={keys.toReversed()} now={deps.clock.now()} timeZone={timeZone} />
      </>
    ),
  };
};

/** Links to the listings of this partner. The listings' own select fields may not offer every partner. */
function RelatedPages({ id }: { id: string }): VNode {
  const path = (listing: string) => withQuery(listing, { partner_id: id });
  return (
    <span class="row">
      <a href={path('/bookings')}>Bookings</a>
      <a href={path('/webhooks')}>Webhooks</a>
      <a href={path('/deliveries')}>Deliveries</a>
    </span>
  );
}

function ReportLink({ partner: { _id, certificationSummary } }: { partner: PartnerRow }): VNode | null {
  if (certificationSummary === undefined) return null;
  const { verdict, passed, notTried } = certificationSummary;
  const untried = notTried === 0 ? '' : `, ${notTried} not tried`;
  return <a href={`/partners/${_id}/certification`}>{`${words(verdict)}: ${passed} passed${untried}`}</a>;
}

/** A report comes from a sandbox, where the partner may have another id. */
const REPORT_HINT = {
  sandbox: 'The file that “partner certify --report-json” wrote, called with a key of this partner.',
  production: 'The file that “partner certify --report-json” wrote on the sandbox, where the partner has another id.',
};

type StatusProps = { partner: PartnerRow; mode: keyof typeof REPORT_HINT };

function StatusActions({ partner: { _id, name, status, certifiedAt }, mode }: StatusProps): VNode {
  const path = `/api/v1/operator/partners/${_id}`;
  return (
    <div class="row">
      <ApiForm class="row" call={`POST ${path}/certify`} done={`${name} is certified.`}>
        <InputField id="certify-notes" label="Notes (optional)" name="notes" maxlength={2000} autocomplete="off" />
        <InputField
          id="certify-report"
          label="Report (optional)"
          hint={REPORT_HINT[mode]}
          name="report"
          type="file"
          accept="application/json,.json"
        />
        <button>{certifiedAt === null ? 'Certify' : 'Certify again'}</button>
      </ApiForm>
      {status === 'active' ? (
        <ApiForm
          call={`PATCH ${path}`}
          done={`${name} is suspended.`}
          question={`Suspend ${name}? Its keys are rejected at once and it receives no deliveries. Its bookings stay.`}
          yes="Suspend"
        >
          <input type="hidden" name="status" value="suspended" />
          <button class="danger">Suspend</button>
        </ApiForm>
      ) : (
        <ApiForm call={`PATCH ${path}`} done={`${name} is active again.`}>
          <input type="hidden" name="status" value="active" />
          <button class="primary">Activate</button>
        </ApiForm>
      )}
    </div>
  );
}

type GrantsProps = { partner: PartnerRow; granted: readonly VenueRow[]; venues: readonly VenueRow[] };

function Grants({ partner: { _id, name }, granted, venues }: GrantsProps): VNode {
  const path = `/api/v1/operator/partners/${_id}/venues`;
  const others = venues.filter((venue) => granted.every((own) => own._id !== venue._id));
  return (
    <Section id="grants" title="Granted venues">
      {granted.length === 0 ? <p class="faint">No venue is granted yet.</p> : null}
      <ul class="list">
        {granted.map((venue) => (
          <li>
            <a href={`/?venue_id=${venue._id}`}>{venue.name}</a>
            <ApiForm
              call={`DELETE ${path}/${venue._id}`}
              done={`${name} can no longer sell ${venue.name}. Its holds there are released.`}
              question={`Revoke the grant of ${name} for ${venue.name}? Its holds there are released at once. Its bookings stay.`}
              yes="Revoke"
            >
              <button class="quiet" aria-label={`Revoke the grant for ${venue.name}`}>
                Revoke
              </button>
            </ApiForm>
          </li>
        ))}
      </ul>
      {others.length === 0 ? null : (
        <ApiForm class="row" call={`PUT ${path}/{venue_id}`} done={`${name} can sell the venue.`}>
          <SelectField
            id="grant-venue"
            label="Grant another venue"
            name="venue_id"
            options={toChoices(others)}
            required
            data-path
          />
          <button>Grant</button>
        </ApiForm>
      )}
    </Section>
  );
}
