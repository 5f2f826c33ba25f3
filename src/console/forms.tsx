import type { ComponentChildren, VNode } from 'preact';
import type { FieldFault } from '../domain/errors.ts';
import type { PageRequest } from './request.ts';

type ApiFormProps = {
  /** `POST /api/v1/operator/walk-ins`: the call that the script makes with the fields as its JSON body. */
  call: string;
  /** What is said when it has succeeded; `{field}` stands for that field of the response. */
  done: string;
  /** Asked before; `yes` names the button that goes on. */
  confirm?: { question: string; yes: string };
  /** Shows the field of the response once, in a dialog. */
  reveal?: 'api_key';
  /** Where to go when it has succeeded, for a form whose own page is gone by then. */
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

type FieldProps = { id: string; label: string; hint?: string; children: VNode };

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

export type Choice = readonly [value: string, label: string];

/** One field of a filter: a choice where it has options, else text. */
export type Filter = {
  name: string;
  label: string;
  isDate?: true;
  /** What the choice of nothing means; all, unless stated. */
  blank?: string;
  options?: readonly Choice[];
};

type FiltersProps = { filters: readonly Filter[]; request: PageRequest; faults?: FieldFault[] | undefined };

/** The filters of a listing, sent to its own page by GET, with what is wrong with them beside each. */
export function Filters({ filters, request: { path, query }, faults = [] }: FiltersProps): VNode {
  return (
    <search>
      <form class="filters" action={path}>
        {filters.map((filter) => (
          <FilterField
            key={filter.name}
            filter={filter}
            value={query[filter.name]}
            fault={faults.find((each) => each.path === filter.name)?.message}
          />
        ))}
        <div class="row">
          <button>Filter</button>
          {Object.keys(query).length === 0 ? null : <a href={path}>Clear</a>}
        </div>
        {faults
          .filter(({ path: at }) => !filters.some(({ name }) => name === at))
          .map(({ path: at, message }) => (
            <p class="field-error" key={at}>
              {`${at}: ${message}`}
            </p>
          ))}
      </form>
    </search>
  );
}

type FilterFieldProps = { filter: Filter; value: string | undefined; fault: string | undefined };

function FilterField({ filter, value, fault }: FilterFieldProps): VNode {
  const id = `filter-${filter.name}`;
  const common = {
    id,
    name: filter.name,
    'aria-invalid': fault !== undefined,
    'aria-describedby': fault === undefined ? undefined : `${id}-fault`,
  };
  return (
    <div class="field">
      <label for={id}>{filter.label}</label>
      {filter.options === undefined ? (
        filter.isDate === true ? (
          <input {...common} type="date" value={value} />
        ) : (
          <input {...common} value={value} />
        )
      ) : (
        <select {...common}>
          <option value="">{filter.blank ?? 'All'}</option>
          {filter.options.map(([each, label]) => (
            <option key={each} value={each} selected={each === value}>
              {label}
            </option>
          ))}
        </select>
      )}
      {fault === undefined ? null : (
        <p class="field-error" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}
