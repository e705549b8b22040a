import * as z from 'zod';
import { type Product, startProduct } from '../../test/support/product.ts';
import { addPeople } from '../running.ts';
import type { Scenario } from '../scenario.ts';

/** 20,000 as its target names; what matters is that it runs all the time that is measured. */
const recipients = Number(process.env['CAMPAIGN_LANES_RECIPIENTS'] ?? 20_000);
const seconds = Number(process.env['CAMPAIGN_LANES_SECONDS'] ?? 30);

export const scenario: Scenario = {
  name: 'campaign-lanes',
  description: `Direct sends and verification codes during a campaign to ${recipients.toLocaleString('en')} at 80 a second, against the running product, until the provider has them`,
  deterministic: false,
  measure: async () => {
    await using product = await startProduct({ warm: true });
    await addPeople(product, recipients);
    const templates = await product.asOwner({ method: 'GET', path: '/api/v1/templates', query: { name: 'spring_sale' } });
    const [template] = z.object({ data: z.array(z.looseObject({ id: z.int() })) }).parse(templates.body).data;
    const created = await product.asOwner({
      method: 'POST',
      path: '/api/v1/campaigns',
      body: { name: 'Spring', template_id: template?.id, parammatch: { 1: 'name' } },
    });
    if (created.status !== 200) throw new Error(created.raw);
    for (let tries = 0; (await accepted(product)).length < 100; tries++) {
      if (tries > 600) throw new Error('The campaign did not begin to send.');
      await pause(200);
    }
    // what a function's first start costs is measured elsewhere (cold-start)
    await Promise.all([text(product, '491720000001'), code(product, '491720000001')]);
    const began = Date.now();
    const direct = new Map<string, number>();
    const codes = new Map<string, number>();
    const calls: Promise<void>[] = [];
    for (let index = 0; index < seconds * 2; index++) {
      const isCode = index % 2 === 1;
      // each under a prefix of its own: codes that no one proves would trip its breaker (V15)
      const phone = `49171${String(1_000 + index)}0001`;
      (isCode ? codes : direct).set(phone, Date.now());
      calls.push(isCode ? code(product, phone) : text(product, phone));
      await pause(500);
    }
    await Promise.all(calls);
    const ended = Date.now();
    // a code is answered before it is sent
    const isThere = (ledger: readonly { to: string }[]): boolean =>
      [...direct.keys(), ...codes.keys()].every((phone) => ledger.some(({ to }) => to === phone));
    let ledger = await accepted(product);
    for (let waited = 0; waited < 60 && !isThere(ledger); waited++) {
      await pause(500);
      ledger = await accepted(product);
    }
    const took = (sent: ReadonlyMap<string, number>): number[] =>
      [...sent]
        .map(([phone, at]) => (ledger.find(({ to }) => to === phone)?.at ?? Number.POSITIVE_INFINITY) - at)
        .toSorted((a, b) => a - b);
    const during = ledger.filter((each) => each.at > began && each.at <= ended).length;
    const rate = (during - direct.size - codes.size) / ((ended - began) / 1_000);
    return [
      { name: 'campaign, sends a second meanwhile', unit: 'per second', value: Math.round(rate * 10) / 10 },
      { name: 'direct send, until accepted, p50', unit: 'ms', value: at(took(direct), 0.5) },
      { name: 'direct send, until accepted, p99', unit: 'ms', value: at(took(direct), 0.99), atMost: 1_000 },
      { name: 'verification code, until accepted, p50', unit: 'ms', value: at(took(codes), 0.5) },
      { name: 'verification code, until accepted, p99', unit: 'ms', value: at(took(codes), 0.99), atMost: 1_000 },
    ];
  },
};

const at = (sorted: readonly number[], share: number): number => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function accepted(product: Product): Promise<{ to: string; at: number }[]> {
  const answer = await product.control('GET', 'provider/messages');
  const entry = z.object({ to: z.string(), at: z.string() });
  return z
    .object({ data: z.array(entry) })
    .parse(answer.body)
    .data.map((each) => ({ to: each.to, at: Date.parse(each.at) }));
}

async function text(product: Product, phone: string): Promise<void> {
  const answer = await product.asOwner({ method: 'POST', path: '/api/v1/messages/text', body: { phone: `+${phone}`, message: 'Hello' } });
  if (answer.status >= 300) throw new Error(answer.raw);
}

const demoKeys = z.looseObject({ verification: z.looseObject({ public_key: z.string(), secret_key: z.string() }) });

async function code(product: Product, phone: string): Promise<void> {
  const { verification } = demoKeys.parse(product.demo.companies[0]);
  const answer = await product.http({
    method: 'POST',
    path: '/api/v1/verification/request',
    headers: { 'X-Public-Key': verification.public_key, 'X-Secret-Key': verification.secret_key },
    body: { identifier: `+${phone}`, channel: 'whatsapp', purpose: 'login' },
  });
  if (answer.status !== 200) throw new Error(answer.raw);
}
