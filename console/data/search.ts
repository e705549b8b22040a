import { useCallback } from 'react';
import { useNavigate, useSearch } from '@tanstack/react-router';

/** One filter in the address of the page, so that a link shows what its sender saw. Undefined takes it out. */
export const useFilter = (name: string): [string | undefined, (value: string | undefined) => void] => {
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>;
  const navigate = useNavigate();
  const given = search[name];
  const set = useCallback(
    (value: string | undefined) =>
      void navigate({
        to: '.',
        search: (before: Record<string, unknown>) => ({ ...before, [name]: value === '' ? undefined : value }),
        replace: true,
      } as never),
    [name, navigate],
  );
  return [typeof given === 'string' || typeof given === 'number' ? String(given) : undefined, set];
};
