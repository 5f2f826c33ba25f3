import type { ComponentChildren, ComponentProps, VNode } from 'preact';

type ApiFormProps = {
  /** The call that the script makes with the fields as its JSON body, such as `POST /api/v1/operator/walk-ins`. */
  call: string;
  /** The message after success; `{field}` is replaced by that field of the response. */
  done: string;
  /** The question before the call, with the label of the button that confirms it. */
  question?: string;
  yes?: string;
  /** Shows the field of the response once, in a dialog. */
  reveal?: 'api_key';
  /** The page to open after success, if the form's own page no longer exists then. */
  next?: string;
  class?: string;
  children: ComponentChildren;
};

/**
 * A form that makes a change through the operator API. Without the script it does nothing: a form with the method
 * `dialog` sends no request.
 */
export function ApiForm({ call, done, question, yes, reveal, next, children, ...rest }: ApiFormProps): VNode {
  return (
    <form
      method="dialog"
      class={rest.class ?? 'inline'}
      data-api={call}
      data-done={done}
      data-question={question}
      data-yes={yes}
      data-reveal={reveal}
      data-next={next}
    >
      {children}
      <p class="form-error" role="alert" />
    </form>
  );
}

/** The idempotency key, so that a call repeated after a failure takes effect once; the script fills it in. */
export function IdempotencyKey(): VNode {
  return <input type="hidden" name="idempotency_key" data-new-key />;
}

type FieldProps = { id: string; label: string; hint?: string | undefined; fault?: string | undefined };

/** A control with its label above, and its hint and its fault below. */
function Field({ id, label, hint, fault, children }: FieldProps & { children: VNode }): VNode {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint === undefined ? null : (
        <p class="under" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault === undefined ? null : (
        <p class="field-error" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}

function described({ id, hint, fault }: FieldProps) {
  if (fault !== undefined) return { 'aria-describedby': `${id}-fault`, 'aria-invalid': true } as const;
  return hint === undefined ? {} : { 'aria-describedby': `${id}-hint` };
}

/** A text field with its label. */
export function InputField({ label, hint, fault, ...input }: FieldProps & ComponentProps<'input'>): VNode {
  const field = { id: input.id, label, hint, fault };
  return (
    <Field {...field}>
      <input {...input} {...described(field)} />
    </Field>
  );
}

export type Choice = readonly [value: string, label: string];

type SelectProps = FieldProps & ComponentProps<'select'> & { options: readonly Choice[]; chosen?: string | undefined };

/** A choice with its label; by default the first option is chosen. */
export function SelectField({ label, hint, fault, options, chosen, ...select }: SelectProps): VNode {
  const field = { id: select.id, label, hint, fault };
  return (
    <Field {...field}>
      <select {...select} {...described(field)}>
        {options.map(([value, text]) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

/**
 * The reason for an action; `form` is the prefix of the field's id. `autofocus`: the form opens with the focus here.
 */
export function ReasonField({ form, ...field }: { form: string; hint?: string; autofocus?: boolean }): VNode {
  return (
    <InputField
      id={`${form}-reason`}
      label="Reason"
      name="reason"
      required
      maxlength={500}
      autocomplete="off"
      {...field}
    />
  );
}
