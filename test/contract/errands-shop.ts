import { issueErpToken, issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import { takeOrder } from '../../functions/shop/service/placing.ts';
import { markOrdered } from '../../functions/shop/store/cart.ts';
import { granted } from '../support/company.ts';
import type { Errand } from './errands.ts';
import type { Example } from './examples.ts';
import { connectedStore, platformNotice } from './examples-shop.ts';
import { fullCompany } from './full-plan.ts';
import type { ContractStage } from './stage.ts';

/** Of a shop: what its receivers tell of people. */
export const shopErrands: readonly Errand[] = [
  { route: 'receivePlatformNotice', what: 'a customer of a connected store is forgotten', example: forgottenCustomer },
  {
    route: 'receiveWebshop',
    what: 'the customer becomes a contact, in room that a dead process held',
    example: async (stage) => {
      const { id } = await fullCompany(stage);
      const number = next();
      const billing = { first_name: 'Mia', phone: phoneOf(number), country: 'DE' };
      return {
        params: { webhook_token: granted(await issueWebhookToken(id, { receiver: 'webshop' })).secret },
        ...posted({ id: number, status: 'processing', currency: 'EUR', total: '5.00', billing, line_items: [] }, 'order.created'),
      };
    },
  },
  {
    route: 'receiveCustom',
    what: 'the customer becomes a contact, in room that a dead process held',
    example: async (stage) => {
      const { id } = await fullCompany(stage);
      const number = next();
      return {
        params: { erp_token: granted(await issueErpToken(id, {})).secret },
        ...posted({ event: 'order.placed', data: { order_number: `errand-${number}`, customer_phone: phoneOf(number) } }),
      };
    },
  },
];

/** They have ordered: they are a contact, and marks keep them from being reminded of carts. */
async function forgottenCustomer(stage: ContractStage): Promise<Example> {
  const companyId = stage.company.id;
  const { shop } = await connectedStore(stage);
  const number = next();
  const customer = { email: `mia.${number}@example.com`, phone: phoneOf(number) };
  const order = { kind: 'order', source: 'storeplatform', externalId: String(number), number: `#${number}`, currency: 'EUR' } as const;
  await takeOrder(companyId, { ...order, customerPhone: customer.phone, customerEmail: customer.email }, { key: undefined });
  const traits = { checkoutIds: [], phone: customer.phone.slice(1), email: customer.email };
  await markOrdered(companyId, traits, stage.world.clock.now());
  return platformNotice('customers/redact', { shop_domain: shop, customer, orders_to_redact: [number] });
}

const posted = (body: unknown, topic?: string): Pick<Example, 'raw'> => ({
  raw: {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...(topic === undefined ? {} : { 'x-wc-webhook-topic': topic }) },
  },
});

let numbers = 7_000;
const next = (): number => ++numbers;
const phoneOf = (number: number): string => `+4915122${String(number).padStart(6, '0')}`;
