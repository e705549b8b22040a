import { Agent, request } from 'node:http';
import { issueToken } from '../../functions/account/service/tokens.ts';
import { unwrap } from '../../test/support/company.ts';
import { startProduct } from '../../test/support/product.ts';
import { startMedusa } from '../peers/medusa.ts';
import { environmentOf } from '../running.ts';
import type { Scenario } from '../scenario.ts';

const connections = 8;
const secondsARound = 6;
const rounds = 3;

export const scenario: Scenario = {
  name: 'shop-beside-medusa',
  description: `Products created and listed by ${connections} connections, ${rounds} rounds of ${secondsARound} s each in turn, beside Medusa 2 on PostgreSQL on the same machine; ours is the whole product as it runs on a laptop, emulated table and change stream included`,
  deterministic: false,
  measure: async () => {
    await using medusa = await startMedusa();
    await using product = await startProduct({ warm: true });
    const [company] = product.demo.companies;
    if (!company) throw new Error('There is no demo company.');
    const env = environmentOf(product);
    Object.assign(process.env, env);
    // a token may make 300 calls a minute: these share the load as several integrations would
    const tokens: string[] = [];
    for (let nth = 0; nth < 45; nth++)
      tokens.push(unwrap(await issueToken(company.id, { user_id: Number(company.users.owner), name: `bench ${nth}` })).secret);

    let nth = 0;
    const ours = {
      create: () => call(`${product.baseUrl}/api/v1/shop/products`, tokens[++nth % tokens.length] ?? '', ourProduct(nth)),
      list: () => call(`${product.baseUrl}/api/v1/shop/products?limit=20`, tokens[++nth % tokens.length] ?? ''),
    };
    const theirs = {
      create: () => call(`${medusa.url}/admin/products`, medusa.token, theirProduct(++nth)),
      list: () => call(`${medusa.url}/admin/products?limit=20&fields=${leanest}`, medusa.token),
      listAll: () => call(`${medusa.url}/admin/products?limit=20`, medusa.token),
    };
    const rate = { ours: { create: 0, list: 0 }, theirs: { create: 0, list: 0, listAll: 0 } };
    for (const each of [ours.create, ours.list, theirs.create, theirs.list, theirs.listAll]) await perSecond(each, 3);
    for (let round = 0; round < rounds; round++) {
      rate.ours.create += (await perSecond(ours.create, secondsARound)) / rounds;
      await product.idle(120);
      rate.theirs.create += (await perSecond(theirs.create, secondsARound)) / rounds;
      rate.ours.list += (await perSecond(ours.list, secondsARound)) / rounds;
      rate.theirs.list += (await perSecond(theirs.list, secondsARound)) / rounds;
      rate.theirs.listAll += (await perSecond(theirs.listAll, secondsARound)) / rounds;
    }
    agent.destroy();
    return [
      { name: 'product create, ours', unit: 'per second', value: rate.ours.create },
      { name: 'product create, Medusa', unit: 'per second', value: rate.theirs.create },
      { name: 'product create, ratio', unit: 'x', value: rate.ours.create / rate.theirs.create, atLeast: 10 },
      { name: 'list of 20, ours', unit: 'per second', value: rate.ours.list },
      { name: 'list of 20 with variants and prices, Medusa', unit: 'per second', value: rate.theirs.list },
      { name: 'list of 20 as it comes, Medusa', unit: 'per second', value: rate.theirs.listAll },
      {
        name: 'list of 20, ratio to the faster of the two',
        unit: 'x',
        value: rate.ours.list / Math.max(rate.theirs.list, rate.theirs.listAll),
        atLeast: 2,
      },
    ];
  },
};

/** What our record shows, and no more. */
const leanest = 'id,title,description,status,thumbnail,external_id,created_at,updated_at,*variants,*variants.prices';

const text = 'Soft, combed cotton, made to last. Wash at thirty degrees, do not tumble dry.';

const ourProduct = (nth: number) => ({
  name: `Cotton T-shirt ${nth}`,
  description: text,
  price: '499.00',
  stock_quantity: 10,
  sku: `TS-${nth}`,
  external_id: `ext-${nth}`,
  image: `https://cdn.example.com/products/${nth}/front.jpg`,
});

const theirProduct = (nth: number) => ({
  title: `Cotton T-shirt ${nth}`,
  description: text,
  status: 'published',
  external_id: `ext-${nth}`,
  thumbnail: `https://cdn.example.com/products/${nth}/front.jpg`,
  options: [{ title: 'Default', values: ['Default'] }],
  variants: [
    {
      title: 'Default',
      sku: `TS-${nth}`,
      options: { Default: 'Default' },
      prices: [{ currency_code: 'inr', amount: 499 }],
      manage_inventory: false,
    },
  ],
});

const agent = new Agent({ keepAlive: true, maxSockets: connections });

/** Closed loop: every connection calls as soon as it was answered. */
async function perSecond(once: () => Promise<void>, seconds: number): Promise<number> {
  const began = performance.now();
  const end = began + seconds * 1_000;
  let answered = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) {
        await once();
        answered++;
      }
    }),
  );
  return (answered * 1_000) / (performance.now() - began);
}

function call(address: string, token: string, body?: unknown): Promise<void> {
  const raw = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(raw === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(raw) }),
    };
    const sent = request(address, { method: raw === undefined ? 'GET' : 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        if (response.statusCode === 200 || response.statusCode === 201) resolve();
        else
          reject(new Error(`A measured call was answered ${response.statusCode} ${Buffer.concat(chunks).toString('utf8').slice(0, 300)}`));
      });
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(raw);
  });
}
