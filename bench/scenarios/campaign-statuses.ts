import * as z from 'zod';
import { type Product, startProduct } from '../../test/support/product.ts';
import { addPeople, createSale, pause, whenAllRead } from '../running.ts';
import type { Scenario } from '../scenario.ts';

const recipients = Number(process.env['RECIPIENTS'] ?? 20_000);
/** Each message is sent, delivered and read. */
const posts = 3 * recipients;

export const scenario: Scenario = {
  name: 'campaign-statuses',
  description: `A campaign to ${recipients.toLocaleString('en')} at 80 a second against the running product, while the provider posts every status by itself: until the statistics equal the rows`,
  deterministic: false,
  measure: async () => {
    await using product = await startProduct({ warm: true });
    await addPeople(product, recipients);
    await product.control('PUT', 'provider/faults', { updates_per_post: 1 });
    const before = await totals(product);
    const startedAt = performance.now();
    const id = await createSale(product);
    let now = before;
    for (; now.posts - now.refused < before.posts - before.refused + posts; now = await totals(product)) {
      if (performance.now() - startedAt > 600_000 + recipients * 50)
        throw new Error(`The provider posted ${now.posts} of ${posts} statuses.`);
      await pause(1_000);
    }
    const lastPostAt = performance.now() - (Date.now() - Date.parse(now.last_at ?? ''));
    const readAt = await whenAllRead(product, id, recipients, 300_000);
    return [
      { name: 'posts refused', unit: 'requests', value: now.refused - before.refused, atMost: 0 },
      { name: 'posts of statuses', unit: 'per second', value: Math.round((posts * 1_000) / (lastPostAt - startedAt)) },
      { name: 'recipients', unit: 'per second', value: Math.round((recipients * 10_000) / (lastPostAt - startedAt)) / 10 },
      {
        name: 'statistics equal the rows, after the last post',
        unit: 'ms',
        value: Math.round(Math.max(0, readAt - lastPostAt)),
        atMost: 60_000,
      },
    ];
  },
};

const meta = z.object({ meta: z.object({ posts: z.int(), refused: z.int(), last_at: z.string().nullable() }) });

const totals = async (product: Product) => meta.parse((await product.control('GET', 'provider/webhooks')).body).meta;
