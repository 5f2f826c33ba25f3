import { getHold } from '../holds/holds.service.ts';
import { holdStatusOf } from '../reservations/reservations.rules.ts';
import { getResource } from '../venues/venues.service.ts';
import { findVenue } from '../venues/venues.store.ts';
import { price, timeSpan, zoneName } from './format.rules.ts';
import { dateOf, gridPath, PartnerLink } from './links.tsx';
import { readNames } from './names.ts';
import { Badge, Facts, Heading, When } from './parts.tsx';
import { ReleaseHold } from './release-hold.tsx';
import type { PageHandler } from './request.ts';

/** A hold of any partner; one that was confirmed leads to its booking. */
export const holdPage: PageHandler = async (deps, { params }) => {
  const hold = await getHold(deps, undefined, params['holdId'] ?? '');
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
        <section aria-labelledby="facts">
          <h2 id="facts">Hold</h2>
          <Facts
            facts={[
              ['Partner', <PartnerLink id={hold.partnerId} name={nameOf(hold.partnerId)} />],
              ['Price', price(hold.pricePaise)],
              ['Placed', <When at={hold.placedAt} timeZone={timeZone} />],
              ['Expires', <When at={hold.holdExpiresAt} timeZone={timeZone} />],
              ['Released', <When at={hold.releasedAt} timeZone={timeZone} />],
              ['Why it was released', hold.releaseReason],
              ['Hold id', <code>{hold._id}</code>],
              ['On the grid', venue && <a href={gridPath(venue, hold.slotStart)}>Show the day</a>],
            ]}
          />
        </section>
        {hold.status === 'ACTIVE' ? (
          <section aria-labelledby="release">
            <h2 id="release">Release</h2>
            <ReleaseHold holdId={hold._id} />
          </section>
        ) : null}
      </>
    ),
  };
};
