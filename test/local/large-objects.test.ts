import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startQueueEmulator } from '../../lib/local/emulators.ts';

test('the laptop keeps an object of 12 MB, as S3 does: the file of an export, a video', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-objects-'));
  const emulator = await startQueueEmulator(folder);
  try {
    await fetch(`${emulator.url}/films`, { method: 'PUT' });
    const film = Buffer.alloc(12_000_000, 'film');
    const written = await fetch(`${emulator.url}/films/one`, { method: 'PUT', body: film, headers: { 'content-type': 'video/mp4' } });
    expect(written.status).toBe(200);
    expect(Buffer.from(await (await fetch(`${emulator.url}/films/one`)).arrayBuffer()).equals(film)).toBe(true);
  } finally {
    await emulator.stop();
    rmSync(folder, { recursive: true });
  }
});
