import type { VNode } from 'preact';

const PATHS = {
  cross: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  clock: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11M8 5v3l2 2',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  person: 'M8 8a2.5 2.5 0 1 0 0-5a2.5 2.5 0 0 0 0 5M3.5 13.5c0-5 9-5 9 0',
  closed: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11M4.2 4.2l7.6 7.6',
  link: 'M6.5 9.5l3-3M7 5l1.5-1.500a2.500 2.500 0 0 1 3.500 3.500l-1.500 1.500M9 11l-1.500 1.500a2.500 2.500 0 0 1-3.500-3.500l1.500-1.500',
  left: 'M10 3l-5 5l5 5',
  right: 'M6 3l5 5l-5 5',
} as const;

export type IconName = keyof typeof PATHS;

/** A small drawing beside a word that says the same. */
export function Icon({ name }: { name: IconName }): VNode {
  return (
    <svg class="drawing" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.6"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
