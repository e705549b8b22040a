import './fake-browser.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const { readAgain } = await import('../../console/data/read-again.ts');
const { queryClient } = await import('../../console/data/queries.ts');

/** The reads that were begun: of an operation, and of which of these records. */
let reads: string[];
let tookMs: number;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  reads = [];
  tookMs = 100;
  vi.spyOn(queryClient, 'invalidateQueries').mockImplementation(async ({ queryKey, predicate } = {}) => {
    const query = (id: number) =>
      queryClient.getQueryCache().build(queryClient, { queryKey: [queryKey?.[0], { params: { id } }] as readonly unknown[] });
    const ids = [1, 2, 3].filter((id) => predicate?.(query(id)) ?? true);
    reads.push(`${String(queryKey?.[0])} ${ids.join()}`);
    await new Promise((resolve) => setTimeout(resolve, tookMs));
  });
});
afterEach(async () => {
  await vi.runAllTimersAsync();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('what becomes old within a moment is read once, of the records that it names', async () => {
  readAgain('listConversationMessages', [1]);
  readAgain('listConversationMessages', [3]);
  readAgain('getInboxCounts');
  await vi.advanceTimersByTimeAsync(200);
  expect(reads).toEqual(['listConversationMessages 1,3', 'getInboxCounts 1,2,3']);
});

test('all of an operation is read where that was said beside some records of it', async () => {
  readAgain('listConversationMessages', [1]);
  readAgain('listConversationMessages');
  readAgain('listConversationMessages', [2]);
  await vi.advanceTimersByTimeAsync(200);
  expect(reads).toEqual(['listConversationMessages 1,2,3']);
});

test('what becomes old while it is read is read once more, after a pause of four times as long', async () => {
  readAgain('listContacts');
  await vi.advanceTimersByTimeAsync(200);
  for (let nth = 0; nth < 20; nth++) readAgain('listContacts');
  await vi.advanceTimersByTimeAsync(400);
  expect(reads).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(60);
  expect(reads).toHaveLength(2);
});

test('the slower the answers, the fewer the reads of a storm, and never one over the other', async () => {
  tookMs = 1_000;
  for (let ms = 0; ms < 20_000; ms += 100) {
    readAgain('listContacts');
    await vi.advanceTimersByTimeAsync(100);
  }
  // a second each, and the longest pause of one and a half
  expect(reads.length).toBeGreaterThanOrEqual(7);
  expect(reads.length).toBeLessThanOrEqual(9);
});
