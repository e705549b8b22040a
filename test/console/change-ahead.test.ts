import './fake-browser.ts';
import { beforeEach, expect, test } from 'vitest';
import { changeAhead, queryClient } from '../../console/data/queries.ts';

/** What is shown of a change before it is answered. */
const queryKey = ['getBoard', {}];
const shown = (): unknown => queryClient.getQueryData(queryKey);
beforeEach(() => {
  queryClient.clear();
  queryClient.setQueryData(queryKey, 'before');
});

test('a read that was under way when it was made does not take it back', async () => {
  const { promise: answer, resolve } = Promise.withResolvers<string>();
  const reading = queryClient.fetchQuery({ queryKey, queryFn: () => answer, staleTime: 0 }).catch(() => 'given up');
  const [began, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const changing = changeAhead<string, void>(
    queryKey,
    (seen) => `${seen}, moved`,
    () => {
      began.resolve();
      return sent.promise;
    },
  );
  await began.promise;
  resolve('before');
  await reading;
  expect(shown()).toBe('before, moved');
  sent.resolve();
  await changing;
  expect(shown()).toBe('before, moved');
});

test('it is taken back where it is refused, and the refusal is thrown', async () => {
  const refused = changeAhead<string, never>(
    queryKey,
    () => 'moved',
    () => Promise.reject(new Error('refused')),
  );
  await expect(refused).rejects.toThrow('refused');
  expect(shown()).toBe('before');
});

test('what was not read is not made up', async () => {
  queryClient.clear();
  await changeAhead<string, string>(
    queryKey,
    () => 'moved',
    () => Promise.resolve('done'),
  );
  expect(shown()).toBeUndefined();
});
