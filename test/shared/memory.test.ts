import { afterEach, expect, test, vi } from 'vitest';
import { atMostEvery, clearProcessMemory } from '../../shared/runtime/memory.ts';

afterEach(() => vi.useRealTimers());

test('a key has its turn once in a time, each for itself, and anew where the clock was set or the process died', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 1) });
  const may = atMostEvery<string>(60_000);
  expect([may('a'), may('a'), may('b')]).toEqual([true, false, true]);
  vi.advanceTimersByTime(59_999);
  expect(may('a')).toBe(false);
  vi.advanceTimersByTime(1);
  expect(may('a')).toBe(true);
  vi.setSystemTime(Date.UTC(2026, 9, 1));
  expect(may('a')).toBe(true);
  clearProcessMemory();
  expect(may('a')).toBe(true);
});
