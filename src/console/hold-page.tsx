import type { VNode } from 'preact';
import { getHold } from '../booking/holds/holds.service.ts';
import { expiryOf } from '../booking/holds/place-hold.service.ts';
import { getResource } from '../catalog/venues/resources.service.ts';
import { findVenue } from '../catalog/venues/venues.store.ts';
import { holdExpiryJobId } from '../queues/jobs.ts';
import type { Reservation } from '../reservations/reservations.model.ts';
import { holdStatusOf } from '../reservations/reservations.rules.ts';
import { price, timeSpan, zoneName } from './format.rules.ts';
import { ApiForm, ReasonField } from './forms.tsx';
import { dateOf, gridPath, JobLink, PartnerLink, readNames } from './links.tsx';
import { Badge, Facts, Heading, Section, When } from './parts.tsx';
import type { PageHandler } from './request.ts';

/** A hold of any partner; one that was confirmed leads to its booking. */
export const holdPage: PageHandler = async (deps, { id }) => {
  const hold = await getHold(deps, undefined, id);
  if (hold.bookingId !== undefined) return { redirect: `/bookings/${hold.bookingId}` };
  const [venue, resource, nameOf] = await Promise.all([
    findVenue(deps.db, hold.venueId),
    getResource(deps, hold.resourceId),
    readNames(deps, [hold.partnerId]),
  ]);
  const timeZone = venue?.timeZone ?? deps.config.defaultTimeZone;
  return {
    title: 'Hold',
    section: '/',
    isLive: true,
    content: (
      <>
        <Heading title={`${resource.name}, ${dateOf(hold, timeZone)}`}>
          <Badge state={holdStatusOf(hold.status)} />
        </Heading>
        <p class="faint">
          {`${timeSpan(hold.slotStart, hold.slotEnd, timeZone)} at ${venue?.name ?? hold.venueId} (${zoneName(timeZone, hold.slotStart)})`}
        </p>
        <Section id="facts" title="Hold">
          <Facts
            facts={[
              ['Partner', <PartnerLink id={hold.partnerId} name={nameOf(hold.partnerId)} />],
              ['Price', price(hold.pricePaise)],
              ['Placed', <When at={hold.placedAt} timeZone={timeZone} />],
              ['Expires', <When at={hold.holdExpiresAt} timeZone={timeZone} />],
              ['Released', <When at={hold.releasedAt} timeZone={timeZone} />],
              ['Release reason', hold.releaseReason],
              ['Hold id', <code>{hold._id}</code>],
              ['Job', hold.status === 'ACTIVE' ? <ExpiryJob hold={hold} /> : null],
              ['Day', venue && <a href={gridPath(venue, hold.slotStart)}>Show the day</a>],
            ]}
          />
        </Section>
        {hold.status === 'ACTIVE' ? (
          <Section id="release" title="Release">
            <ReleaseHold holdId={hold._id} />
          </Section>
        ) : null}
      </>
    ),
  };
};

function ExpiryJob({ hold }: { hold: Reservation }): VNode {
  return <JobLink queue="hold-expiry" jobId={holdExpiryJobId(expiryOf(hold))} />;
}

/** Releases the hold `holdId`, or the one for which the dialog was opened. */
export function ReleaseHold({ holdId }: { holdId?: string }): VNode {
  return (
    <ApiForm
      class="stack"
      call={`POST /api/v1/operator/holds/${holdId ?? '{hold_id}'}/release`}
      done="The hold is released."
      question="Release this hold? The customer may be about to pay. The slot can be sold to others at once."
      yes="Release it"
    >
      {holdId === undefined ? <input type="hidden" name="hold_id" data-path /> : null}
      <ReasonField form="release" hint="Shown to operators. Do not enter personal data." />
      <div class="row">
        <button class="danger">Release the hold</button>
      </div>
    </ApiForm>
  );
}
