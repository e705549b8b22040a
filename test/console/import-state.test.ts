import { expect, test } from 'vitest';
import { isRunning, shareRead } from '../../console/screens/contacts/import-state.ts';

test('what waits for its turn goes on by itself, what waits for its file does not', () => {
  const states = ['awaiting_upload', 'queued', 'running', 'completed', 'failed', 'cancelled'] as const;
  expect(states.filter((status) => isRunning({ status }))).toEqual(['queued', 'running']);
});

test('how much is read is a share of the file, and not known before its size is', () => {
  const counts = { rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0, skipped_limit: 0 };
  expect(shareRead({ progress: { ...counts, bytes: 0, bytes_total: null } })).toBeUndefined();
  expect(shareRead({ progress: { ...counts, bytes: 512, bytes_total: 1_024 } })).toBe(0.5);
  // the file may have grown since its size was given
  expect(shareRead({ progress: { ...counts, bytes: 2_048, bytes_total: 1_024 } })).toBe(1);
});
