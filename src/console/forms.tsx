import type { ComponentChildren, VNode } from 'preact';

type ApiFormProps = {
  /** `POST /api/v1/operator/walk-ins`: the call that the script makes with the fields as its JSON body. */
  call: string;
  /** What is said when it has succeeded; `{field}` stands for that field of the response. */
  done: string;
  /** Asked before; `yes` names the button that goes on. */
  confirm?: { question: string; yes: string };
  /** Shows the field of the response once, in a dialog. */
  reveal?: 'api_key';
  /** The page to open after success, for a form whose own page no longer exists. */
  next?: string;
  class?: string;
  children: ComponentChildren;
};

/**
 * A form that changes something, by the operator API alone. Without script it does nothing: `dialog` is the one method of a form
 * that sends nothing anywhere.
 */
export function ApiForm({ call, done, confirm, reveal, next, children, ...rest }: ApiFormProps): VNode {
  return (
    <form
      method="dialog"
      class={rest.class ?? 'inline'}
      data-api={call}
      data-done={done}
      data-question={confirm?.question}
      data-yes={confirm?.yes}
      data-reveal={reveal}
      data-next={next}
    >
      {children}
      <p class="form-error" role="alert" />
    </form>
  );
}

/** Names the call, so that the one that is sent again after a failure has no second effect; the script fills it in. */
export function IdempotencyKey(): VNode {
  return <input type="hidden" name="idempotency_key" data-new-key />;
}

type FieldProps = { id: string; label: string; hint?: string | undefined; children: VNode };

/** A field with its label above and its hint below. */
export function Field({ id, label, hint, children }: FieldProps): VNode {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint === undefined ? null : (
        <p class="under" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

type ReasonProps = { form: string; hint?: string; isFocused?: true };

/** Why something is done, in a form of this name; `isFocused` where the form is opened to be written into. */
export function ReasonField({ form, hint, isFocused }: ReasonProps): VNode {
  const id = `${form}-reason`;
  return (
    <Field id={id} label="Reason" hint={hint}>
      <input
        id={id}
        name="reason"
        required
        maxlength={500}
        autocomplete="off"
        autofocus={isFocused}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      />
    </Field>
  );
}
