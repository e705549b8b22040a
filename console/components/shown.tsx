import type { JSX, ReactNode } from 'react';
import { Loading } from './basics.tsx';
import { ProblemCard, StaleBar } from './problem.tsx';

/** How reading something goes. */
export interface Reading<T> {
  data: T | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/** What was read. It stays while it is read again, and where that fails, with a line that says so; a refusal alone takes its place where nothing was read. */
export const Shown = <T,>({
  query: { data, error, refetch },
  rows,
  children,
}: {
  query: Reading<T>;
  /** How many lines stand in its place while it is read. */
  rows?: number;
  children: (data: T) => ReactNode;
}): JSX.Element => {
  const readAgain = (): void => void refetch();
  if (data === undefined) return error ? <ProblemCard error={error} onRetry={readAgain} /> : <Loading rows={rows} />;
  return (
    <>
      {error && <StaleBar onRetry={readAgain} />}
      {children(data)}
    </>
  );
};
