import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { Progress } from '../../bin/admin/progress.ts';
import { LogFile } from '../../lib/local/log-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'log-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the log of the functions is two files at most, each within its size, and loses no newer line', async () => {
  const log = new LogFile(join(folder, 'functions.log'), 100);
  for (let line = 0; line < 40; line++) log.write(Buffer.from(`line ${String(line).padStart(3, '0')}\n`));
  await log.end();
  const again = new LogFile(join(folder, 'functions.log'), 100);
  again.write(Buffer.from('after a restart\n'));
  await again.end();
  expect(readdirSync(folder).toSorted()).toEqual(['functions.log', 'functions.log.1']);
  const [now, before] = ['functions.log', 'functions.log.1'].map((name) => readFileSync(join(folder, name), 'utf8'));
  for (const text of [now, before]) expect(Buffer.byteLength(text ?? '')).toBeLessThanOrEqual(100);
  expect(`${before}${now}`).toMatch(/line 037\nline 038\nline 039\nafter a restart\n$/);
});

/** What is written to standard error, a terminal or none, while the clock is set by hand. */
function written(isTerminal: boolean, show: (at: (second: number) => void) => void): string[] {
  const texts: string[] = [];
  const isTTY = Object.getOwnPropertyDescriptor(process.stderr, 'isTTY');
  Object.defineProperty(process.stderr, 'isTTY', { value: isTerminal, configurable: true });
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => texts.push(String(text)) > 0);
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  try {
    show((second) => clock.mockReturnValue(second * 1_000));
  } finally {
    spy.mockRestore();
    clock.mockRestore();
    if (isTTY) Object.defineProperty(process.stderr, 'isTTY', isTTY);
  }
  return texts;
}

test('campaigns watch without a terminal writes a line now and then, the first one at once', () => {
  const lines = written(false, (at) => {
    const progress = new Progress({ writesLines: true });
    for (let second = 0; second <= 12; second++) {
      at(second);
      progress.show(second, 12, `sending ${second} of 12`);
    }
    progress.end();
  });
  expect(lines).toEqual(['sending 0 of 12\n', 'sending 5 of 12\n', 'sending 10 of 12\n']);
});

test('the time left counts what was done since the command began, not what was done before', () => {
  const lines = written(true, (at) => {
    const progress = new Progress();
    for (const [second, done] of [
      [2, 58],
      [12, 60],
      [22, 62],
    ] as const) {
      at(second);
      progress.show(done, 100, 'sending');
    }
  });
  // two in ten seconds: forty at that pace are 200 seconds, thirty-eight are 190
  expect(lines.map((line) => /sending(?: (\S+) left)?$/.exec(line)?.[1])).toEqual([undefined, '3:20', '3:10']);
});
