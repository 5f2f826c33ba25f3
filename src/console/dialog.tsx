import type { ComponentChildren, VNode } from 'preact';
import { Icon } from './icon.tsx';

/** A modal dialog, named by its heading; Escape and the cross close it. */
export function Dialog({
  id,
  title,
  children,
}: {
  id: string;
  title: string;
  children: ComponentChildren;
}): VNode {
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
