import { linkOptions } from '@tanstack/react-router';
import { expect, test } from 'vitest';
import type { router } from '../../console/app/router.tsx';
import { filtersIn } from '../../console/data/search.ts';
import { areas } from '../../console/screens/registry.ts';
import { screens } from '../support/screens.ts';

/**
 * What must not compile. Each `@ts-expect-error` is held by the type check: the day one of these compiles, it fails.
 */
type Path = keyof (typeof router)['routesByPath'];

/** Every screen is among those whose controls are pressed and whose looks are checked, but what leads elsewhere at once. */
export const used: Readonly<Record<Exclude<Path, `${string}/` | '/connect-store'>, string>> = screens;

export const right = [
  linkOptions({ to: '/inbox' }),
  linkOptions({ to: '/inbox/$id', params: { id: 1 }, search: { view: 'closed' } }),
  linkOptions({ to: '/settings/numbers/$id', params: { id: 1 } }),
];

// @ts-expect-error a path that no screen has
export const unknownPath = linkOptions({ to: '/inbocks' });

// @ts-expect-error a path that was put together
export const builtPath = linkOptions({ to: `/inbox/${right.length}` });

// @ts-expect-error the record is left out
export const noRecord = linkOptions({ to: '/inbox/$id' });

// @ts-expect-error a record is named by its number
export const textRecord = linkOptions({ to: '/inbox/$id', params: { id: 'one' } });

// @ts-expect-error a filter that no screen has
export const unknownFilter = linkOptions({ to: '/inbox', search: { vieuw: 'closed' } });

// @ts-expect-error a screen that is not below its area
export const unknownScreen: Path = '/settings/deliveries';

test('each area has a screen at its path; the wrong links above are held by the type check', () => {
  const paths: readonly Path[] = areas.map(({ path }) => path);
  expect(new Set(paths).size).toBe(areas.length);
});

test('an address says the filters that screens have, and nothing else', () => {
  expect(filtersIn({ view: 'closed', q: 12, types: ['a'], other: 'x' })).toEqual({ view: 'closed', q: 12 });
});
