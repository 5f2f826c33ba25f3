import type { Listener } from '../support/published-description.ts';
import { publishedDescription } from '../support/published-description.ts';

export type Described = { listener: Listener; method: string; path: string };

/** Every endpoint of both listeners under `/api/`, as the committed descriptions have them: `/api/v1/partner/holds/{holdId}`. */
export const DESCRIBED_ROUTES: readonly Described[] = (['partner', 'operator'] as const).flatMap((listener) =>
  Object.entries(publishedDescription(listener).paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, item]) => Object.keys(item).map((method) => ({ listener, method: method.toUpperCase(), path }))),
);

/** The path with every parameter, as descriptions or as Express write it, replaced by `value`. */
export function pathWith(path: string, value: string): string {
  return path.replace(/\{\w+\}|:\w+/g, value);
}
