import { readFileSync } from 'node:fs';

export type Described = { listener: 'partner' | 'operator'; method: string; path: string };

/** Every endpoint of both listeners under `/api/`, as the committed descriptions have them: `/api/v1/partner/holds/{holdId}`. */
export const DESCRIBED_ROUTES: readonly Described[] = (['partner', 'operator'] as const).flatMap(
  (listener) => {
    const file = new URL(`../../docs/openapi.${listener}.json`, import.meta.url);
    const { paths } = JSON.parse(readFileSync(file, 'utf8')) as { paths: Record<string, object> };
    return Object.entries(paths)
      .filter(([path]) => path.startsWith('/api/'))
      .flatMap(([path, item]) =>
        Object.keys(item).map((method) => ({ listener, method: method.toUpperCase(), path })),
      );
  },
);

/** The path with every parameter, as descriptions or as Express write it, replaced by `value`. */
export function pathWith(path: string, value: string): string {
  return path.replace(/\{\w+\}|:\w+/g, value);
}
