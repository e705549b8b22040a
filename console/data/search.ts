import { useCallback } from 'react';
import { useNavigate, useSearch } from '@tanstack/react-router';

/** What an address may say beside its path: the filters of the screens, and which record of a list is open. */
const names = [
  'all',
  'by',
  'category',
  'code',
  'consent',
  'credential',
  'day',
  'days',
  'delivery',
  'entry',
  'event',
  'from',
  'group',
  'in',
  'inactive',
  'kind',
  'next',
  'number',
  'operation',
  'outcome',
  'q',
  'receiver',
  'revoked',
  'role',
  'segment',
  'sessions',
  'sort',
  'status',
  'subject',
  'tag',
  'template',
  'types',
  'user',
  'view',
  'waits',
  'webhook',
  'why',
] as const;
export type Filters = Partial<Record<(typeof names)[number], string | number>>;

/** The filters of an address, without what else it says. */
export const filtersIn = (search: Readonly<Record<string, unknown>>): Filters => {
  const filters: Filters = {};
  for (const name of names) {
    const given = search[name];
    if (typeof given === 'string' || typeof given === 'number') filters[name] = given;
  }
  return filters;
};

/** One filter in the address of the page, so that a link shows what its sender saw. Undefined takes it out. */
export const useFilter = (name: keyof Filters): [string | undefined, (value: string | undefined) => void] => {
  const { [name]: given } = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = useCallback(
    (value: string | undefined) =>
      void navigate({ to: '.', search: (before: Filters) => ({ ...before, [name]: value === '' ? undefined : value }), replace: true }),
    [name, navigate],
  );
  return [given === undefined ? undefined : String(given), set];
};

/** Several filters at once: of two changes of the address, one after the other, the second would not see the first. */
export const useSetFilters = (): ((filters: Readonly<Record<string, string | number | undefined>>) => void) => {
  const navigate = useNavigate();
  return useCallback(
    (filters: Readonly<Record<string, string | number | undefined>>) =>
      void navigate({ to: '.', search: (before: Filters) => filtersIn({ ...before, ...filters }), replace: true }),
    [navigate],
  );
};
