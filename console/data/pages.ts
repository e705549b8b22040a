import { useCallback, useMemo } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Answer, Input, OperationName } from './client.ts';
import { readPages } from './queries.ts';

type RowOf<N extends OperationName> = Answer<N> extends { data: (infer T)[] } ? T : never;

/** The rows of a list with cursors that were read so far, and reading on. */
export const useRows = <N extends OperationName>(name: N, input: Input<N>) => {
  const query = useInfiniteQuery(readPages(name, input));
  const { data, error, isPending, hasNextPage, isFetching, fetchNextPage, refetch } = query;
  const rows = useMemo(() => (data?.pages ?? []).flatMap((page) => (page as unknown as { data: RowOf<N>[] }).data), [data]);
  const readOn = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  return { rows, error, isPending, hasMore: hasNextPage, readOn, refetch };
};
