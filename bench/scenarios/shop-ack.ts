import { createHmac } from 'node:crypto';
import { Agent } from 'node:http';
import * as z from 'zod';
import { startProduct } from '../../test/support/product.ts';
import { postJson } from '../running.ts';
import type { Scenario } from '../scenario.ts';

const postsPerSecond = 15;
const seconds = 20;

const shops = z.looseObject({
  shop: z.looseObject({ receivers: z.looseObject({ storeplatform: z.looseObject({ url: z.string(), secret: z.string() }) }) }),
});

export const scenario: Scenario = {
  name: 'shop-ack',
  description: `${postsPerSecond} signed webhooks of the store platform a second for ${seconds} s (what one receiver's 1,200 a minute allow), open loop, against the running product`,
  deterministic: false,
  measure: async () => {
    await using product = await startProduct({ warm: true });
    const { url, secret } = shops.parse(product.demo.companies[0]).shop.receivers.storeplatform;
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    const post = async (nth: number): Promise<number> => {
      const isOrder = nth % 2 === 0;
      const body = JSON.stringify(isOrder ? order(nth) : item(nth));
      const signature = createHmac('sha256', secret).update(body).digest('base64');
      const sentAt = performance.now();
      const headers = {
        'x-shopify-hmac-sha256': signature,
        'x-shopify-topic': isOrder ? 'orders/updated' : 'products/update',
        'x-shopify-webhook-id': `bench-${nth}`,
      };
      const send = (): Promise<number> => postJson(url, agent, body, headers);
      const status = await send().catch(send);
      if (status !== 200) throw new Error(`A post was answered ${status}.`);
      return performance.now() - sentAt;
    };
    for (let nth = 0; nth < 10; nth++) await post(nth);
    await product.idle(60);
    const total = postsPerSecond * seconds;
    const startedAt = performance.now();
    const running: Promise<number>[] = [];
    while (running.length < total) {
      const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1_000) * postsPerSecond) + 1);
      while (running.length < due) running.push(post(1_000 + running.length));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const took = (await Promise.all(running)).toSorted((a, b) => a - b);
    agent.destroy();
    await product.idle(120);
    const at = (share: number): number => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;
    return [
      { name: 'until the 200, median', unit: 'ms', value: at(0.5) },
      { name: 'until the 200, p99', unit: 'ms', value: at(0.99), atMost: 200 },
      { name: 'until the 200, slowest', unit: 'ms', value: at(1) },
    ];
  },
};

const at = (nth: number): string => new Date(Date.UTC(2026, 0, 1) + nth * 1_000).toISOString();

const item = (nth: number) => ({
  id: 1 + (nth % 50),
  title: `Product ${nth}`,
  status: 'active',
  updated_at: at(nth),
  variants: [{ price: '9.50', inventory_quantity: nth }],
});

const order = (nth: number) => ({
  id: 1 + (nth % 50),
  name: `#${1 + (nth % 50)}`,
  currency: 'USD',
  total_price: '10.00',
  financial_status: 'paid',
  phone: `+1415555${String(1_000 + (nth % 50))}`,
  updated_at: at(nth),
  line_items: [{ id: 1, title: 'Tee', quantity: 1, price: '10.00' }],
});
