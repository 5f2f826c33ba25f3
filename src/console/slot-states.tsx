import type { ComponentChildren, VNode } from 'preact';
import type { DayGrid, GridCell } from '../booking/availability/day-grid.service.ts';
import { dateTime, minutesAndSeconds, price, timeSpan } from './format.rules.ts';
import { claimPath, type NameOf } from './links.tsx';
import { Icon, type IconName } from './parts.tsx';

export type GridProps = { grid: DayGrid; nameOf: NameOf };

/** The props of a cell's content; `what` names the slot. */
type ContentProps = GridProps & { cell: GridCell; what: string };

/** The content of a cell by state. */
export const CELL_CONTENTS: Record<GridCell['state'], (props: ContentProps) => VNode> = {
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
function PlainSlot({ label, under = '' }: { label: string; under?: string }): VNode {
  return (
    <span class="slot">
      <span class="state">{label}</span>
      <span class="under">{under}</span>
    </span>
  );
}

const Unsold = ({ cell, label }: { cell: GridCell; label: string }) => (
  <PlainSlot label={label} under={price(cell.pricePaise)} />
);

type ActionProps = { icon: IconName; children: ComponentChildren };

/** A slot that leads to a page, or to another slot of the grid. The `!` makes its id differ from that of its cell. */
function LinkSlot({ cell, href, icon, children }: ActionProps & { cell: GridCell; href: string }): VNode {
  return (
    <a class="slot" id={`${cell.slotId}!`} href={href}>
      <Icon name={icon} />
      {children}
    </a>
  );
}

type DialogSlotProps = ActionProps & { dialog: string; fill: Record<string, string> };

/** A slot that opens a dialog. The script takes the dialog's text and fields from `fill`. */
function DialogSlot({ dialog, fill, icon, children }: DialogSlotProps): VNode {
  return (
    <button type="button" class="slot" data-dialog={dialog} data-fill={JSON.stringify(fill)} id={`${fill['slot_id']}!`}>
      <Icon name={icon} />
      {children}
    </button>
  );
}

/** A slot that can be sold to somebody at the venue. */
function Sellable({ cell, what, label }: ContentProps & { label: string }): VNode {
  const fill = { slot_id: cell.slotId, what: `${what} · ${price(cell.pricePaise)}`, hold: '' };
  return (
    <DialogSlot dialog="walk-in-dialog" fill={fill} icon="plus">
      <span class="state">{label}</span>
      <span class="under">{price(cell.pricePaise)}</span>
      <span class="unseen">{`: place a walk-in on ${what}`}</span>
    </DialogSlot>
  );
}

/** A hold counts down. If a walk-in may take the slot, a dialog overrides or releases it; else a link leads to it. */
function Held({ cell, what, nameOf }: ContentProps): VNode {
  const holder = cell.occupants.map(({ partnerId }) => nameOf(partnerId)).join(', ');
  const secondsLeft = Math.max(...cell.occupants.map((each) => each.secondsLeft ?? 0));
  const content = (
    <>
      <span class="state">
        {'Held '}
        <span class="countdown" data-seconds-left={secondsLeft}>
          {minutesAndSeconds(secondsLeft)}
        </span>
      </span>
      <span class="under">{holder}</span>
    </>
  );
  const [firstHold] = cell.occupants;
  if (!cell.takesWalkIn) {
    return (
      <LinkSlot cell={cell} href={`/holds/${firstHold?.holdId}`} icon="clock">
        {content}
      </LinkSlot>
    );
  }
  const fill = {
    slot_id: cell.slotId,
    what: `${what} · ${price(cell.pricePaise)}`,
    hold: `Held by ${holder}.`,
    // If there are several holds, operators release them on the holds' pages.
    hold_id: cell.occupants.length === 1 ? (firstHold?.holdId ?? '') : '',
  };
  return (
    <DialogSlot dialog="walk-in-dialog" fill={{ ...fill, href: `/holds/${firstHold?.holdId}` }} icon="clock">
      {content}
      <span class="unseen">{`: override it for a walk-in on ${what}, or release it`}</span>
    </DialogSlot>
  );
}

/** A booking leads to its page; a walk-in can be cancelled here. */
function Taken({ cell, what, nameOf, grid }: ContentProps): VNode {
  const claim = cell.occupants.find(({ kind }) => kind === cell.state) ?? cell.occupants[0];
  if (claim === undefined) return <PlainSlot label={cell.state} />;
  const isWhole = claim.slotId === cell.slotId && claim.slotEnd.getTime() === cell.end.getTime();
  const content = (
    <>
      <span class="state">{claim.kind === 'walk-in' ? 'Walk-in' : 'Booked'}</span>
      <span class="under">
        {[claim.kind === 'walk-in' ? null : nameOf(claim.partnerId), claim.customerName]
          .filter((name) => name !== null)
          .join(' · ')}
      </span>
      {isWhole ? null : <span class="under">{timeSpan(claim.slotStart, claim.slotEnd, grid.venue.timeZone)}</span>}
      {cell.blackouts.length > 0 ? <span class="under bad">in a blackout</span> : null}
    </>
  );
  const href = `/bookings/${claim.bookingId}`;
  if (claim.kind === 'booked') {
    return (
      <LinkSlot cell={cell} href={href} icon="check">
        {content}
      </LinkSlot>
    );
  }
  const fill = { slot_id: cell.slotId, what, name: claim.customerName ?? 'no name given', href };
  return (
    <DialogSlot dialog="cancel-dialog" fill={{ ...fill, booking_id: claim.bookingId ?? '' }} icon="person">
      {content}
      <span class="unseen">{`: cancel it on ${what}`}</span>
    </DialogSlot>
  );
}

/** Another resource claims the shared space: the cell links to that slot. */
function Shared({ cell, grid }: ContentProps): VNode {
  const [claim] = cell.occupants;
  if (claim === undefined) return <PlainSlot label="Taken" />;
  const others = [...new Set(cell.occupants.map(({ resourceId }) => resourceId))];
  const names = grid.columns.filter(({ resource }) => others.includes(resource._id));
  const isOnGrid = grid.columns.some(({ cells }) => cells.some(({ slotId }) => slotId === claim.slotId));
  return (
    <LinkSlot cell={cell} href={isOnGrid ? `#${claim.slotId}` : claimPath(claim.holdId, claim.bookingId)} icon="link">
      <span class="state">{cell.occupants.some(({ kind }) => kind !== 'held') ? 'Taken' : 'Held'}</span>
      <span class="under">{`shared with ${names.map(({ resource }) => resource.name).join(', ')}`}</span>
    </LinkSlot>
  );
}

/** A blackout shows its reason, and can be withdrawn. */
function Closed({ cell, what, grid: { venue } }: ContentProps): VNode {
  const [first, ...more] = cell.blackouts;
  if (first === undefined) return <PlainSlot label="Blackout" />;
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
    <DialogSlot dialog="withdraw-dialog" fill={fill} icon="closed">
      <span class="state">Blackout</span>
      <span class="under">{first.reason}</span>
      <span class="unseen">{`: withdraw it on ${what}`}</span>
    </DialogSlot>
  );
}
