import { expect, it } from 'vitest';
import * as z from 'zod';
import { type Product, startProduct } from '../support/product.ts';

/** A campaign of 40 seconds at a rate that a busy machine keeps too: there what is measured is the estimate, and not the machine. */
const [recipients, ratePerSecond] = [200, 5];
/** A time is given in whole seconds, and a look takes its time. */
const toleranceMs = 2_000;

const campaign = z.object({
  data: z.looseObject({
    status: z.string(),
    eta: z.string().nullable(),
    statistics: z.looseObject({ total: z.int(), scheduled: z.int(), processing: z.int() }),
  }),
});

const sentCount = async (product: Product): Promise<number> =>
  z.object({ data: z.array(z.unknown()) }).parse((await product.control('GET', 'provider/messages')).body).data.length;

/** What a running campaign says of its end, each time it is looked at; and when the provider had the last message. */
async function watched(product: Product, id: number) {
  const looks: { at: number; share: number; eta: number }[] = [];
  for (const giveUpAt = Date.now() + 180_000; Date.now() < giveUpAt; ) {
    const at = Date.now();
    const { eta, statistics } = campaign.parse((await product.asOwner({ method: 'GET', path: `/api/v1/campaigns/${id}` })).body).data;
    const { total, scheduled, processing } = statistics;
    if (eta !== null) looks.push({ at, share: (total - scheduled - processing) / total, eta: Date.parse(eta) });
    if ((await sentCount(product)) >= recipients) return { looks, end: Date.now() };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`The campaign did not send to ${recipients} in three minutes.`);
}

it('a running campaign gives its end within a quarter of the time left, by the median from a fifth on, and the next preview knows it', async () => {
  await using product = await startProduct();
  const contacts = Array.from({ length: recipients }, (_, index) => ({
    phone: `+4915160${String(100_000 + index)}`,
    name: `Person ${index}`,
  }));
  expect((await product.asOwner({ method: 'POST', path: '/api/v1/contacts/bulk-sync', body: { contacts } })).status).toBe(200);
  const [number] = (await product.api.listNumbers()).data;
  await product.api.updateNumber({ params: { id: Number(number?.id) }, body: { rate: ratePerSecond } });
  await product.idle(120);
  const [template] = (await product.api.listTemplates({ query: { name: 'spring_sale' } })).data;
  const template_id = Number(template?.id);
  const { data: preview } = await product.api.previewAudience({ body: { template_id, parammatch: { 1: 'name' } } });
  const { data: created } = await product.api.createCampaign({ body: { name: 'Spring', template_id, parammatch: { 1: 'name' } } });
  const { looks, end } = await watched(product, created.id);

  // a look is taken ten times a second, so that the first is at the start of sending
  const lastedMs = end - (looks[0]?.at ?? end);
  // the machine may stop for seconds on the way, which no estimate can know
  const errors = looks
    .filter(({ at, share }) => share >= 0.2 && end - at > toleranceMs)
    .map(({ at, eta }) => Math.abs(eta - end) / (end - at));
  expect(errors.length).toBeGreaterThan(20);
  const median = errors.toSorted((a, b) => a - b)[Math.floor(errors.length / 2)];
  expect(median, `of a campaign of ${lastedMs} ms`).toBeLessThanOrEqual(0.25);

  // before, by the rate of the number; afterwards by what it achieved
  expect(preview.eta_seconds).toBe(Math.ceil(recipients / (ratePerSecond * 0.97)));
  await product.idle(120);
  const { data: next } = await product.api.previewAudience({ body: { template_id, parammatch: { 1: 'name' } } });
  expect(Math.abs(next.eta_seconds * 1_000 - lastedMs), `of ${lastedMs} ms`).toBeLessThanOrEqual(lastedMs / 4);
});
