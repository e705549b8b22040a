import * as z from 'zod';
import type { ControlAnswer } from '../control.ts';
import type { Platform } from './platform.ts';
import { platformOrder, platformProduct } from './records.ts';

const prefix = '/_local/storeplatform/';

const domain = z.string().regex(/^[a-z0-9][a-z0-9-]*\.myshopify\.com$/, 'must be <name>.myshopify.com');
const record = z.looseObject({ legacyResourceId: z.union([z.string(), z.int().transform(String)]) });
const shopBody = z.object({
  shop: domain,
  currency: z.string().length(3).optional(),
  products: z.array(record).optional(),
  orders: z.array(record).optional(),
});
const webhookBody = z.object({ shop: domain, topic: z.string(), body: z.looseObject({}) });

/**
 * For people and tests on the laptop: `PUT shops` says what a shop sells (fields left out are made up), `GET install?shop=` gives the address
 * with which an installation begins, `POST webhooks` and `POST uninstall` make the platform send webhooks.
 */
export const platformControl =
  (platform: Platform, baseUrl: string) =>
  async (method: string, path: string, body: unknown): Promise<ControlAnswer | undefined> => {
    const url = new URL(path, 'http://localhost');
    if (!url.pathname.startsWith(prefix)) return undefined;
    switch (`${method} ${url.pathname.slice(prefix.length)}`) {
      case 'PUT shops':
        return parsed(shopBody, body, ({ shop, currency, products = [], orders = [] }) => {
          const store = platform.shop(shop);
          if (currency !== undefined) store.currency = currency;
          for (const { legacyResourceId, ...more } of products) store.products.push(platformProduct(legacyResourceId, more));
          for (const { legacyResourceId, ...more } of orders) store.orders.push(platformOrder(legacyResourceId, more));
          platform.save();
          return { shop, currency: store.currency, products: store.products.length, orders: store.orders.length };
        });
      case 'GET install':
        return parsed(domain, url.searchParams.get('shop'), (shop) => ({
          start_url: `${baseUrl}/shop/connect/storeplatform/start?${platform.startQuery(shop)}`,
        }));
      case 'POST webhooks':
        return parsed(webhookBody, body, async ({ shop, topic, body: content }) => ({
          statuses: await platform.publish(shop, topic, content),
        }));
      case 'POST uninstall':
        return parsed(z.object({ shop: domain }), body, async ({ shop }) => {
          const statuses = await platform.uninstall(shop);
          platform.save();
          return { statuses };
        });
      default:
        return undefined;
    }
  };

async function parsed<S extends z.ZodType>(schema: S, value: unknown, act: (value: z.output<S>) => unknown): Promise<ControlAnswer> {
  const read = schema.safeParse(value);
  if (read.success) return { status: 200, body: { data: await act(read.data) } };
  const [issue] = read.error.issues;
  const field = issue?.path.map(String).join('.') || 'body';
  return { status: 400, body: { status: 'error', code: 'bad_control', message: `${field}: ${issue?.message ?? 'is not valid'}` } };
}
