import type { ComponentChildren, VNode } from 'preact';
import type { DayCell, DayGrid } from '../booking/availability/day-grid.service.ts';
import { dateTime, minutes, price, timeSpan } from './format.rules.ts';
import { claimPath } from './links.tsx';
import { Icon, type IconName } from './parts.tsx';

export type GridProps = { grid: DayGrid; nameOf: (partnerId: string) => string };

/** The props of a cell's content; `what` names the slot. */
type InsideProps = GridProps & { cell: DayCell; what: string };

/** The content of a cell by state. */
export const INSIDES: Record<DayCell['state'], (props: InsideProps) => VNode> = {
  held: Held,
  booked: Taken,
  'walk-in': Taken,
  shared: Shared,
  blackout: Closed,
  free: (props) => <Sellable {...props} label="Free" />,
  past: (props) =>
    props.cell.takesWalkIn ? <Sellable {...props} label="Has begun" /> : <Unsold {...props} label="Past" />,
  beyond_horizon: (props) => <Unsold {...props} label="Not on sale yet" />,
  inactive: (props) => <Unsold {...props} label="Inactive" />,
};

/** A slot without an action. */
function Plain({ label, under = '' }: { label: string; under?: string }): VNode {
  return (
    <span class="slot">
      <span class="state">{label}</span>
      <span class="under">{under}</span>
    </span>
  );
}

const Unsold = ({ cell, label }: { cell: DayCell; label: string }) => (
  <Plain label={label} under={price(cell.pricePaise)} />
);

type ActionProps = { icon: IconName; children: ComponentChildren };

/** A slot that leads to a page, or to another slot of the grid. */
function Leads({ cell, href, icon, children }: ActionProps & { cell: DayCell; href: string }): VNode {
  return (
    <a class="slot" id={`${cell.slotId}!`} href={href}>
      <Icon name={icon} />
      {children}
    </a>
  );
}

type OpensProps = ActionProps & { dialog: string; fill: Record<string, string> };

/** A slot that opens a dialog. The script takes the dialog's text and fields from `fill`. */
function Opens({ dialog, fill, icon, children }: OpensProps): VNode {
  return (
    <button type="button" class="slot" data-dialog={dialog} data-fill={JSON.stringify(fill)} id={`${fill['slot_id']}!`}>
      <Icon name={icon} />
      {children}
    </button>
  );
}

/** A slot that can be sold to somebody at the venue. */
function Sellable({ cell, what, label }: InsideProps & { label: string }): VNode {
  const fill = { slot_id: cell.slotId, what: `${what} · ${price(cell.pricePaise)}`, hold: '' };
  return (
    <Opens dialog="walk-in-dialog" fill={fill} icon="plus">
      <span class="state">{label}</span>
      <span class="under">{price(cell.pricePaise)}</span>
      <span class="unseen">{`: place a walk-in on ${what}`}</span>
    </Opens>
  );
}

/** A hold counts down. It can be overridden or released unless a booking shares the slot. */
function Held({ cell, what, nameOf }: InsideProps): VNode {
  const holder = cell.occupants.map(({ partnerId }) => nameOf(partnerId)).join(', ');
  const secondsLeft = Math.max(...cell.occupants.map((each) => each.secondsLeft ?? 0));
  const content = (
    <>
      <span class="state">
        {'Held '}
        <span class="countdown" data-seconds-left={secondsLeft}>
          {minutes(secondsLeft)}
        </span>
      </span>
      <span class="under">{holder}</span>
    </>
  );
  const [first] = cell.occupants;
  if (!cell.takesWalkIn) {
    return (
      <Leads cell={cell} href={`/holds/${first?.holdId}`} icon="clock">
        {content}
      </Leads>
    );
  }
  const fill = {
    slot_id: cell.slotId,
    what: `${what} · ${price(cell.pricePaise)}`,
    hold: `Held by ${holder}.`,
    // Several holds are released on their own pages.
    hold_id: cell.occupants.length === 1 ? (first?.holdId ?? '') : '',
  };
  return (
    <Opens dialog="walk-in-dialog" fill={{ ...fill, href: `/holds/${first?.holdId}` }} icon="clock">
      {content}
      <span class="unseen">{`: override it for a walk-in on ${what}, or release it`}</span>
    </Opens>
  );
}

/** A booking leads to its page; a walk-in can be cancelled here. */
function Taken({ cell, what, nameOf, grid }: InsideProps): VNode {
  const taking = cell.occupants.find(({ kind }) => kind === cell.state) ?? cell.occupants[0];
  if (taking === undefined) return <Plain label={cell.state} />;
  const isWhole = taking.slotId === cell.slotId && taking.slotEnd.getTime() === cell.end.getTime();
  const inside = (
    <>
      <span class="state">{taking.kind === 'walk-in' ? 'Walk-in' : 'Booked'}</span>
      <span class="under">
        {[taking.kind === 'walk-in' ? null : nameOf(taking.partnerId), taking.customerName]
          .filter((name) => name !== null)
          .join(' · ')}
      </span>
      {isWhole ? null : <span class="under">{timeSpan(taking.slotStart, taking.slotEnd, grid.venue.timeZone)}</span>}
      {cell.blackouts.length > 0 ? <span class="under bad">in a blackout</span> : null}
    </>
  );
  const href = `/bookings/${taking.bookingId}`;
  if (taking.kind === 'booked') {
    return (
      <Leads cell={cell} href={href} icon="check">
        {inside}
      </Leads>
    );
  }
  const fill = { slot_id: cell.slotId, what, name: taking.customerName ?? 'no name given', href };
  return (
    <Opens dialog="cancel-dialog" fill={{ ...fill, booking_id: taking.bookingId ?? '' }} icon="person">
      {inside}
      <span class="unseen">{`: cancel it on ${what}`}</span>
    </Opens>
  );
}

/** Another resource claims the shared space: the cell links to that slot. */
function Shared({ cell, grid }: InsideProps): VNode {
  const [by] = cell.occupants;
  if (by === undefined) return <Plain label="Taken" />;
  const others = [...new Set(cell.occupants.map(({ resourceId }) => resourceId))];
  const names = grid.columns.filter(({ resource }) => others.includes(resource._id));
  const isOnGrid = grid.columns.some(({ cells }) => cells.some(({ slotId }) => slotId === by.slotId));
  return (
    <Leads cell={cell} href={isOnGrid ? `#${by.slotId}` : claimPath(by.holdId, by.bookingId)} icon="link">
      <span class="state">{cell.occupants.some(({ kind }) => kind !== 'held') ? 'Taken' : 'Held'}</span>
      <span class="under">{`shared with ${names.map(({ resource }) => resource.name).join(', ')}`}</span>
    </Leads>
  );
}

/** A blackout shows its reason, and can be withdrawn. */
function Closed({ cell, what, grid: { venue } }: InsideProps): VNode {
  const [first, ...more] = cell.blackouts;
  if (first === undefined) return <Plain label="Blackout" />;
  const at = (instant: Date) => dateTime(instant, venue.timeZone);
  const fill = {
    slot_id: cell.slotId,
    what,
    blackout_id: first._id,
    href: `/blackouts/${first._id}`,
    reason: first.reason,
    span: `${at(first.startsAt)} to ${at(first.endsAt)}`,
    more: more.length === 0 ? '' : 'Another blackout keeps the slot closed after you withdraw this one.',
  };
  return (
    <Opens dialog="withdraw-dialog" fill={fill} icon="closed">
      <span class="state">Blackout</span>
      <span class="under">{first.reason}</span>
      <span class="unseen">{`: withdraw it on ${what}`}</span>
    </Opens>
  );
}
