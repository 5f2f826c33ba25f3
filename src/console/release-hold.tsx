import type { VNode } from 'preact';
import { ApiForm, Field } from './forms.tsx';

/** Releases a hold: the one of `holdId`, else the one that its dialog was opened for. */
export function ReleaseHold({ holdId }: { holdId?: string }): VNode {
  return (
    <ApiForm
      class="stack"
      call={`POST /api/v1/operator/holds/${holdId ?? '{hold_id}'}/release`}
      done="The hold is released."
      confirm={{
        question: 'Release this hold? Its customer may be about to pay; anybody can take the slot then.',
        yes: 'Release it',
      }}
    >
      {holdId === undefined ? <input type="hidden" name="hold_id" data-path /> : null}
      <Field id="release-reason" label="Reason" hint="Operators see it. No personal data.">
        <input
          id="release-reason"
          name="reason"
          required
          maxlength={500}
          autocomplete="off"
          aria-describedby="release-reason-hint"
        />
      </Field>
      <div class="row">
        <button class="danger">Release the hold</button>
      </div>
    </ApiForm>
  );
}
