import type { VNode } from 'preact';
import type { DayGrid } from '../booking/availability/day-grid.service.ts';
import { addDays, localTimeOf } from '../platform/calendar.ts';
import { Dialog } from './dialogs.tsx';
import { ApiForm, IdempotencyKey, InputField, ReasonField, SelectField } from './forms.tsx';
import { ReleaseHold } from './hold-page.tsx';

/** Shown next to the field instead of the API's message. */
const phoneFault = (region: string): string =>
  region === 'IN'
    ? 'Enter a valid phone number, e.g. 98765 43210 or +91 98765 43210.'
    : 'Enter a valid phone number with its country code, e.g. +91 98765 43210.';

/** Sells a slot to somebody at the venue. Shows the part about a hold only if the slot has one. */
export function WalkInDialog({ region }: { region: string }): VNode {
  return (
    <Dialog id="walk-in-dialog" title="Place a walk-in">
      <p class="faint" data-text="what" />
      <ApiForm class="stack" call="POST /api/v1/operator/walk-ins" done="The walk-in is placed.">
        <input type="hidden" name="slot_id" />
        <div class="notice" data-if="hold" hidden>
          <p>
            <span data-text="hold" /> <a data-href="href">Open the hold</a>
          </p>
          <label class="check">
            <input type="checkbox" name="override_holds" required />
            Override the hold
          </label>
          <p class="under">
            The partner loses the slot at once and gets a webhook. The partner's customer can no longer book it.
          </p>
        </div>
        <CustomerFields form="walk-in" region={region} isFocused />
        <button class="primary">Place walk-in</button>
      </ApiForm>
      <details data-if="hold_id" hidden>
        <summary>Release the hold instead</summary>
        <ReleaseHold />
      </details>
    </Dialog>
  );
}

/** The start times of the day's slots that can be sold to a walk-in. */
export function freeStarts({ columns }: DayGrid): Date[] {
  const free = columns.flatMap(({ cells }) => cells.filter((cell) => cell.takesWalkIn));
  return [...new Set(free.map(({ start }) => start.getTime()))].sort((a, b) => a - b).map((ms) => new Date(ms));
}

/** Sells the cheapest free resource of a sport at a chosen time. */
export function AnyCourtDialog({ grid, region }: { grid: DayGrid; region: string }): VNode {
  const { venue, columns } = grid;
  const sports = [...new Set(columns.map(({ resource }) => resource.sportCategory))].sort();
  return (
    <Dialog id="any-court-dialog" title="Sell any free court">
      <p class="under">Sells the cheapest court of the sport that is free at this time.</p>
      <ApiForm class="stack" call="POST /api/v1/operator/walk-ins" done="The walk-in is placed: {resource_id}.">
        <input type="hidden" name="venue_id" value={venue._id} />
        <SelectField
          id="any-court-sport"
          label="Sport"
          name="sport_category"
          options={sports.map((sport) => [sport, sport])}
          autofocus
        />
        <SelectField
          id="any-court-start"
          label={`Time in ${venue.timeZone}`}
          name="slot_start"
          options={freeStarts(grid).map((start) => [start.toISOString(), localTimeOf(start, venue.timeZone)])}
        />
        <CustomerFields form="any-court" region={region} />
        <button class="primary">Place walk-in</button>
      </ApiForm>
    </Dialog>
  );
}

type CustomerProps = { form: string; region: string; isFocused?: true };

function CustomerFields({ form, region, isFocused }: CustomerProps): VNode {
  return (
    <>
      <InputField
        id={`${form}-name`}
        label="Name (optional)"
        name="customer_name"
        maxlength={120}
        autocomplete="off"
        autofocus={isFocused}
      />
      <InputField
        id={`${form}-phone`}
        label="Phone (optional)"
        name="customer_phone"
        type="tel"
        maxlength={20}
        autocomplete="off"
        data-fault={phoneFault(region)}
      />
    </>
  );
}

/** Cancels a walk-in. */
export function CancelDialog(): VNode {
  return (
    <Dialog id="cancel-dialog" title="Walk-in">
      <p class="faint" data-text="what" />
      <p>
        Customer: <strong data-text="name" /> · <a data-href="href">Open the booking</a>
      </p>
      <ApiForm
        class="stack"
        call="POST /api/v1/operator/bookings/{booking_id}/cancel"
        done="The walk-in is cancelled and its slot is free."
      >
        <input type="hidden" name="booking_id" data-path />
        <IdempotencyKey />
        <ReasonField form="cancel" autofocus />
        <button class="danger">Cancel walk-in</button>
      </ApiForm>
    </Dialog>
  );
}

/** Withdraws a blackout. */
export function WithdrawDialog(): VNode {
  return (
    <Dialog id="withdraw-dialog" title="Blackout">
      <p class="faint" data-text="what" />
      <p>
        <strong data-text="reason" />
        <span class="under" data-text="span" />
      </p>
      <p class="notice" data-if="more" data-text="more" hidden />
      <p>
        <a data-href="href">See the holds and bookings in it</a>
      </p>
      <ApiForm class="stack" call="DELETE /api/v1/operator/blackouts/{blackout_id}" done="The blackout is withdrawn.">
        <input type="hidden" name="blackout_id" data-path />
        <p class="under">All slots of the blackout can be sold again, on all of its days.</p>
        <button class="danger">Withdraw blackout</button>
      </ApiForm>
    </Dialog>
  );
}

/** Closes resources for a time, entered in the venue's time zone. */
export function BlackoutDialog({ grid: { venue, date, columns } }: { grid: DayGrid }): VNode {
  const time = { type: 'datetime-local', 'data-zone': venue.timeZone, required: true } as const;
  return (
    <Dialog id="blackout-dialog" title="Add a blackout">
      <p class="under">
        {`Nothing can be sold during this time. Existing holds and bookings stay, and are listed on the page of the blackout. Times in ${venue.timeZone}.`}
      </p>
      <ApiForm
        class="stack"
        call={`POST /api/v1/operator/venues/${venue._id}/blackouts`}
        done="The blackout is in force."
      >
        <InputField id="blackout-from" label="From" name="starts_at" {...time} value={`${date}T00:00`} autofocus />
        <InputField id="blackout-to" label="Until" name="ends_at" {...time} value={`${addDays(date, 1)}T00:00`} />
        <fieldset>
          <legend>Resources (none selected: the whole venue)</legend>
          {columns.map(({ resource }) => (
            <label class="check">
              <input type="checkbox" name="resource_ids" value={resource._id} data-type="list" />
              {resource.name}
            </label>
          ))}
        </fieldset>
        <ReasonField form="blackout" hint="Shown to operators only; partners do not see it." />
        <button class="primary">Add blackout</button>
      </ApiForm>
    </Dialog>
  );
}
