import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startQueueEmulator } from '../../lib/local/emulators.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-port-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('files go to where they went before a restart, since an open page may send them nowhere else; not while another has that port', async () => {
  const first = await startQueueEmulator(folder);
  const beside = mkdtempSync(join(tmpdir(), 'switchboard-port-'));
  await first.stop();
  const again = await startQueueEmulator(folder);
  expect(again.url).toBe(first.url);
  try {
    // the port is taken: another start with a copy of these data begins elsewhere
    cpSync(join(folder, 'queue-port'), join(beside, 'queue-port'));
    const other = await startQueueEmulator(beside);
    expect(other.url).not.toBe(first.url);
    await other.stop();
  } finally {
    await again.stop();
    rmSync(beside, { recursive: true, force: true });
  }
});
