import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query';
import { api, type Answer, type Input, type OperationName, SwitchboardProblem } from './client.ts';
import { shareRows } from './share-rows.ts';

/** The key of everything that an operation answered: `[operation]`, or with its input. */
export const keyOf = <N extends OperationName>(name: N, input?: Input<N>): readonly unknown[] =>
  input === undefined ? [name] : [name, input];

/** The client's operations with one signature for all: which input belongs to which operation is checked where `read` is called. */
const call = api.call as <N extends OperationName>(name: N, input: unknown, call: { signal: AbortSignal }) => Promise<Answer<N>>;

/** What an operation answers, under its own key. `useQuery(read('getContact', { params: { id } }))`. */
export const read = <N extends OperationName>(
  name: N,
  ...[input]: Record<never, never> extends Input<N> ? [input?: Input<N>] : [input: Input<N>]
) =>
  queryOptions({
    queryKey: keyOf(name, input ?? ({} as Input<N>)),
    queryFn: ({ signal }): Promise<Answer<N>> => call(name, input ?? {}, { signal }),
  });

interface CursorPage {
  meta: { next_cursor: string | null };
}

/** A list by its cursors, page after page. */
export const readPages = <N extends OperationName>(name: N, input: Input<N>) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(name, input), 'pages'],
    queryFn: ({ signal, pageParam }): Promise<Answer<N> & CursorPage> => {
      const given = 'query' in input ? input.query : {};
      const query = { ...given, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return call(name, { ...input, query }, { signal }) as Promise<Answer<N> & CursorPage>;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page: CursorPage) => page.meta.next_cursor,
    structuralSharing: shareRows,
  });

/** What is read once counts as fresh until the event feed, or a write, says otherwise. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => failures < 1 && !(error instanceof SwitchboardProblem && error.status < 500),
    },
  },
});

/**
 * Makes a change that is shown at once, and taken back where it is refused. A read that is under way knows nothing of it and would take it back
 * for a moment: it is given up, and who changes something reads again when that is answered.
 *
 * @throws what `send` throws
 */
export const changeAhead = async <T, R>(queryKey: readonly unknown[], change: (answer: T) => T, send: () => Promise<R>): Promise<R> => {
  await queryClient.cancelQueries({ queryKey });
  const before = queryClient.getQueriesData<T>({ queryKey });
  queryClient.setQueriesData<T>({ queryKey }, (answer) => answer && change(answer));
  try {
    return await send();
  } catch (error) {
    for (const [key, answer] of before) queryClient.setQueryData(key, answer);
    throw error;
  }
};

/** Reads again whatever these operations answered. */
export const refresh = (...names: readonly OperationName[]): Promise<unknown> =>
  Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
