import { describe, expect, test, vi } from 'vitest';
import { createDeliveryScheduler } from '../../lib/local/delivery-scheduler.ts';

/** Work that ends when the test says so. */
const held = () => {
  let end = (): void => undefined;
  const done = new Promise<void>((resolve) => (end = resolve));
  return { end, work: () => done };
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the way to the cores of a laptop', () => {
  test('deliveries go side by side while nobody waits for an answer', async () => {
    const scheduler = createDeliveryScheduler();
    const [a, b] = [held(), held()];
    let begun = 0;
    const both = [a, b].map(({ work }) => scheduler.runDelivery('a', () => (begun++, work())));
    await turn();
    expect(begun).toBe(2);
    a.end();
    b.end();
    await Promise.all(both);
  });

  test('one at a time to each function, in their order, while a request is served; all of them after it', async () => {
    const scheduler = createDeliveryScheduler();
    const request = held();
    const answered = scheduler.runRequest(request.work);
    const works = [held(), held(), held(), held()];
    const begun: number[] = [];
    const all = works.map(({ work }, nth) => scheduler.runDelivery('a', () => (begun.push(nth), work())));
    await turn();
    expect(begun).toEqual([0]);
    const another = held();
    let isOther = false;
    const other = scheduler.runDelivery('b', () => ((isOther = true), another.work()));
    await turn();
    expect(isOther).toBe(true);
    another.end();
    await other;
    works[0]?.end();
    await turn();
    expect(begun).toEqual([0, 1]);
    request.end();
    await answered;
    await turn();
    expect(begun).toEqual([0, 1, 2, 3]);
    for (const { end } of works) end();
    await Promise.all(all);
  });

  test('how many requests run is passed on as they begin and end', async () => {
    const counts: number[] = [];
    const scheduler = createDeliveryScheduler((running) => counts.push(running));
    const [a, b] = [held(), held()];
    const both = [a, b].map(({ work }) => scheduler.runRequest(work));
    await scheduler.runPost(() => Promise.resolve());
    expect(counts).toEqual([1, 2]);
    a.end();
    b.end();
    await Promise.all(both);
    expect(counts).toEqual([1, 2, 1, 0]);
  });

  test('beside posts of a provider each function has two deliveries, and two of them at a time run beside a request', async () => {
    const scheduler = createDeliveryScheduler();
    const request = held();
    const answered = scheduler.runRequest(request.work);
    const posts = [held(), held(), held()];
    let posted = 0;
    const allPosts = posts.map(({ work }) => scheduler.runPost(() => (posted++, work())));
    await turn();
    expect(posted).toBe(2);
    request.end();
    await answered;
    await turn();
    expect(posted).toBe(3);
    const works = [held(), held(), held()];
    let begun = 0;
    const all = works.map(({ work }) => scheduler.runDelivery('a', () => (begun++, work())));
    await turn();
    expect(begun).toBe(2);
    for (const { end } of posts) end();
    await Promise.all(allPosts);
    await turn();
    expect(begun).toBe(3);
    for (const { end } of works) end();
    await Promise.all(all);
  });

  test('a delivery that fails gives way, and what waits for somebody else keeps nobody back', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const scheduler = createDeliveryScheduler();
    const request = held();
    const answered = scheduler.runRequest(request.work);
    await expect(scheduler.runDelivery('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const [a, b] = [held(), held()];
    let begun = 0;
    const both = [a, b].map(({ work }) => scheduler.runDelivery('a', () => (begun++, work())));
    await turn();
    expect(begun).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(begun).toBe(2);
    const second = scheduler.runRequest(request.work);
    const paced = held();
    const [long, next] = [scheduler.runDelivery('b', paced.work), scheduler.runDelivery('b', () => (begun++, Promise.resolve()))];
    await turn();
    expect(begun).toBe(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(begun).toBe(3);
    for (const { end } of [a, b, request, paced]) end();
    await Promise.all([...both, answered, second, long, next]);
    vi.useRealTimers();
  });
});
