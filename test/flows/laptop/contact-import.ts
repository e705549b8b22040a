import { expect, test } from 'vitest';
import { isFullSize, runSize } from '../../support/run-size.ts';
import { product } from './product.ts';

export const contactImportOnLaptop = (): void => {
  test('on the laptop a file goes to its signed address, is imported (at full size: through a kill), and its failed rows can be fetched', {
    timeout: 250_000,
  }, async () => {
    const rows = runSize(300, 1_500);
    const file = `phone,name\n12,Nobody\n${Array.from({ length: rows }, (_, n) => `49153${String(n).padStart(8, '0')},Contact ${n}\n`).join('')}`;
    const { data: made } = await product.api.contacts.createImport({ body: { filename: 'people.csv', size: Buffer.byteLength(file) } });
    const put = await fetch(made.upload?.url ?? '', { method: 'PUT', headers: made.upload?.headers ?? {}, body: file });
    expect(put.status).toBe(200);
    await product.api.contacts.startImport({ params: { id: made.id } });
    const seen = async () => (await product.api.contacts.getImport({ params: { id: made.id } })).data;
    await expect.poll(async () => (await seen()).progress.rows, { interval: 20 }).toBeGreaterThan(0);
    // after a kill the slice waits until its queue shows it again, which takes minutes
    if (isFullSize()) {
      await product.kill();
      await product.restart();
    }
    await product.idle(200);
    const done = await seen();
    expect(done).toMatchObject({ status: 'completed', progress: { rows: rows + 1, created: rows, unchanged: 0, failed: 1 } });
    expect(await (await fetch(done.errors_url ?? '')).text()).toContain('2,"phone: Must be a phone number');
  });
};
