import { createHmac } from 'node:crypto';
import type { Receiver } from '../../functions/account/contract/receiver.ts';
import { issueErpToken, issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import { unwrap } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import type { TestApp } from '../support/test-app.ts';
import { pageOf, type Shop } from './support.ts';

/** Signed posts to the receivers of a shop. */
export type Post = (body: unknown, headers?: Record<string, string>) => Promise<Answer>;

export const secret = 'a shared secret of the test';

export const receiversOf = (testApp: TestApp) => {
  const receiver = async (shop: Shop, name: Receiver, signed = true): Promise<Post> => {
    const token = unwrap(await issueWebhookToken(shop.companyId, { receiver: name, ...(signed ? { shared_secret: secret } : {}) })).secret;
    return (body, headers = {}) => {
      const raw = typeof body === 'string' ? body : JSON.stringify(body);
      const signature = createHmac('sha256', secret).update(raw).digest('base64');
      return testApp.call({
        method: 'POST',
        path: `/shop/webhooks/${name}/${token}`,
        body: raw,
        headers: { 'content-type': 'application/json', ...(signed ? { 'x-webhook-signature': signature } : {}), ...headers },
      });
    };
  };
  const platform = async (shop: Shop) => {
    const post = await receiver(shop, 'storeplatform');
    let deliveries = 0;
    return (topic: string, body: unknown, headers: Record<string, string> = {}) =>
      post(body, { 'x-shopify-topic': topic, 'x-shopify-webhook-id': `w-${++deliveries}`, ...headers });
  };
  const custom = async (shop: Shop, path = '/shop/webhooks/custom/'): Promise<(event: string, data: unknown) => Promise<Answer>> => {
    const token = unwrap(await issueErpToken(shop.companyId, {})).secret;
    return (event, data) => testApp.call({ method: 'POST', path: `${path}${token}`, body: { event, data } });
  };
  return { receiver, platform, custom };
};

export const products = async (shop: Shop) => pageOf(await shop.call('GET', '/products')).data;
export const orders = async (shop: Shop) => pageOf(await shop.call('GET', '/orders')).data;
