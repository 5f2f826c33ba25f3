import type { ComponentChildren, VNode } from 'preact';
import type { DayCell } from '../availability/day-grid.service.ts';
import { price } from './format.rules.ts';
import type { IconName } from './icon.tsx';
import { Icon } from './icon.tsx';

/** A slot with which nothing can be done. */
export function Plain({ label, under }: { label: string; under: string }): VNode {
  return (
    <span class="slot">
      <span class="state">{label}</span>
      <span class="under">{under}</span>
    </span>
  );
}

type OpensProps = {
  dialog: string;
  fill: Record<string, string>;
  icon: IconName;
  children: ComponentChildren;
};

/** A slot that opens a dialog, whose words and fields the script takes from `fill`. */
export function Opens({ dialog, fill, icon, children }: OpensProps): VNode {
  return (
    <button
      type="button"
      class="slot"
      data-dialog={dialog}
      data-fill={JSON.stringify(fill)}
      id={`${fill['slot_id']}!`}
    >
      <Icon name={icon} />
      {children}
    </button>
  );
}

/** A slot that can be sold to somebody at the venue. */
export function Sellable({ cell, what, label }: { cell: DayCell; what: string; label: string }): VNode {
  const fill = { slot_id: cell.slotId, what: `${what} · ${price(cell.pricePaise)}`, hold: '' };
  return (
    <Opens dialog="walk-in-dialog" fill={fill} icon="plus">
      <span class="state">{label}</span>
      <span class="under">{price(cell.pricePaise)}</span>
      <span class="unseen">{`: place a walk-in on ${what}`}</span>
    </Opens>
  );
}
