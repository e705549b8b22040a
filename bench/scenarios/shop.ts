import { issueErpToken } from '../../functions/account/service/machine-tokens.ts';
import { unwrap } from '../../test/support/company.ts';
import { withFixture, type Scenario, expectOk } from '../scenario.ts';

const rows = 200;

export const scenario: Scenario = {
  name: 'shop',
  description: 'Shop: a product created, a list of 20, rows of an ERP sync: new, changed, unchanged',
  deterministic: true,
  measure: () =>
    withFixture(async ({ testApp, company, token }) => {
      const create = (i: number) =>
        expectOk(
          testApp.call({
            method: 'POST',
            path: '/api/v1/shop/products',
            token,
            body: {
              name: `Cotton T-shirt ${i}`,
              description: 'Soft, combed cotton, made to last. Wash at thirty degrees, do not tumble dry.',
              price: '499.00',
              compare_at_price: '599.00',
              stock_quantity: 10,
              sku: `TS-${i}`,
              external_id: `ext-${i}`,
              image: `https://cdn.example.com/products/${i}/front.jpg`,
            },
          }),
        );
      for (let i = 0; i < 40; i++) await create(i);
      await testApp.drain();
      const product = await testApp.meterRounds(() => create(40));
      const list = await testApp.meter(() => expectOk(testApp.call({ method: 'GET', path: '/api/v1/shop/products?limit=20', token })));
      const { secret } = unwrap(await issueErpToken(company.id, {}));
      const sync = (name: string) =>
        testApp.meter(() =>
          expectOk(
            testApp.call({
              method: 'POST',
              path: '/api/shop/erp/sync',
              token: secret,
              body: { products: Array.from({ length: rows }, (_, i) => ({ external_id: `erp-${i}`, name: `${name} ${i}`, price: i })) },
            }),
          ),
        );
      const created = await sync('New');
      const unchanged = await sync('New');
      const changed = await sync('Changed');
      return [
        { name: 'product create, writes with the token', unit: 'WRU', value: product.wru, atMost: 4 },
        { name: 'product create, sequential rounds', unit: 'rounds', value: product.rounds },
        { name: 'list of 20, reads', unit: 'RRU', value: list.rru, atMost: 3 },
        { name: 'ERP row, new', unit: 'WRU', value: created.wru / rows, atMost: 3 },
        { name: 'ERP row, changed', unit: 'WRU', value: changed.wru / rows, atMost: 2 },
        // what it reads counts for the company's minute, a write by 250 units (G12)
        { name: 'ERP sync of unchanged rows, writes beyond the token', unit: 'WRU', value: unchanged.wru - 1, atMost: 1 },
      ];
    }),
};
