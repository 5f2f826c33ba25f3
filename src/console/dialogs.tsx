import type { ComponentChildren, VNode } from 'preact';
import { InputField } from './forms.tsx';
import { Icon } from './parts.tsx';

/** A modal dialog, named by its heading; Escape and the cross close it. */
export function Dialog({ id, title, children }: { id: string; title: string; children: ComponentChildren }): VNode {
  return (
    <dialog id={id} aria-labelledby={`${id}-title`}>
      <div class="row spread">
        <h2 id={`${id}-title`}>{title}</h2>
        <button type="button" class="quiet" data-close aria-label="Close">
          <Icon name="cross" />
        </button>
      </div>
      {children}
    </dialog>
  );
}

/** Asks for confirmation before an action; the script fills in the form's question. */
export function ConfirmDialog(): VNode {
  return (
    <Dialog id="confirm-dialog" title="Are you sure?">
      <p data-text="question" />
      <form method="dialog" class="row end">
        <button class="quiet" value="no">
          No, go back
        </button>
        <button class="danger" value="yes" data-text="yes">
          Yes
        </button>
      </form>
    </Dialog>
  );
}

/** Shows a new key once: it is stored neither in the browser nor in the service. */
export function SecretDialog(): VNode {
  return (
    <Dialog id="secret-dialog" title="The new key">
      <p>Copy it now and hand it over safely. It is shown only once and cannot be read again.</p>
      <InputField id="secret" label="API key" readonly autocomplete="off" spellcheck={false} />
      <div class="row end">
        <button type="button" class="quiet" data-close>
          Done
        </button>
        <button type="button" class="primary" data-copy="secret">
          Copy
        </button>
      </div>
    </Dialog>
  );
}
