import { issueErpToken, issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import { upsertOrder } from '../../functions/shop/service/upsert-order.ts';
import { recordOrder } from '../../functions/shop/store/cart.ts';
import { unwrap } from '../support/company.ts';
import type { Scenario } from './scenarios.ts';
import type { Example } from './examples.ts';
import { connectedStore, platformNotice } from './examples-shop.ts';
import { companyAtItsLimit } from './full-plan.ts';
import type { ContractFixture } from './fixture.ts';

/** Of a shop: what its receivers report of customers. */
export const shopScenarios: readonly Scenario[] = [
  { route: 'receivePlatformNotice', title: 'a customer of a connected store is forgotten', example: forgottenCustomer },
  {
    route: 'receiveWebshop',
    title: 'the customer becomes a contact, in room that a dead process held',
    example: async (fixture) => {
      const { id } = await companyAtItsLimit(fixture);
      const number = next();
      const billing = { first_name: 'Mia', phone: phoneOf(number), country: 'DE' };
      return {
        params: { webhook_token: unwrap(await issueWebhookToken(id, { receiver: 'webshop' })).secret },
        ...posted({ id: number, status: 'processing', currency: 'EUR', total: '5.00', billing, line_items: [] }, 'order.created'),
      };
    },
  },
  {
    route: 'receiveCustom',
    title: 'the customer becomes a contact, in room that a dead process held',
    example: async (fixture) => {
      const { id } = await companyAtItsLimit(fixture);
      const number = next();
      return {
        params: { erp_token: unwrap(await issueErpToken(id, {})).secret },
        ...posted({ event: 'order.placed', data: { order_number: `scenario-${number}`, customer_phone: phoneOf(number) } }),
      };
    },
  },
];

/** They have ordered: they are a contact, and marks keep them from being reminded of carts. */
async function forgottenCustomer(fixture: ContractFixture): Promise<Example> {
  const companyId = fixture.company.id;
  const { shop } = await connectedStore(fixture);
  const number = next();
  const customer = { email: `mia.${number}@example.com`, phone: phoneOf(number) };
  const order = { kind: 'order', source: 'storeplatform', externalId: String(number), number: `#${number}`, currency: 'EUR' } as const;
  await upsertOrder(companyId, { ...order, customerPhone: customer.phone, customerEmail: customer.email }, { key: undefined });
  const traits = { checkoutIds: [], phone: customer.phone.slice(1), email: customer.email };
  await recordOrder(companyId, traits, fixture.testApp.clock.now());
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
