import * as z from 'zod';
import { updateNumber } from '../../functions/account/service/numbers.ts';
import { unwrap } from '../../test/support/company.ts';
import { startProduct } from '../../test/support/product.ts';
import { seeded } from '../../test/support/random.ts';
import { environmentOf } from '../running.ts';
import type { Scenario } from '../scenario.ts';

const count = Number(process.env['MESSAGES'] ?? 1_200);
const ledger = z.object({
  data: z.array(z.looseObject({ at: z.string(), payload: z.looseObject({ text: z.looseObject({ body: z.string() }).optional() }) })),
});

export const scenario: Scenario = {
  name: 'scheduled-laptop',
  description: `${count} messages scheduled over the API within one minute, against the running product: how late the provider accepts them`,
  deterministic: false,
  measure: async () => {
    await using product = await startProduct({ warm: true });
    const [company] = product.demo.companies;
    if (!company) throw new Error('There is no demo company.');
    const env = environmentOf(product);
    Object.assign(process.env, env);
    unwrap(await updateNumber(company.id, 1, { rate: 1_000 }));
    await product.control('PUT', 'provider/faults', { hold_statuses: true });
    const random = seeded(1);
    // far enough ahead that all are written before the first is due
    const from = Date.now() + 60_000 + count * 40;
    const due = new Map<string, number>();
    const write = async (nth: number): Promise<void> => {
      const dueAt = from + Math.floor(random() * 60_000);
      due.set(`m${nth}`, dueAt);
      const body = { phone: `+${4_915_800_000_000 + nth}`, message: `m${nth}`, scheduled_at: new Date(dueAt).toISOString() };
      // the limit of sends is 3,000 a minute (G12)
      for (;;) {
        const { status, raw, headers } = await product.asOwner({ method: 'POST', path: '/api/v1/messages/text', body });
        if (status === 200) return;
        if (status !== 429) throw new Error(`A message was answered ${status} ${raw}`);
        await new Promise((resolve) => setTimeout(resolve, Number(headers['retry-after'] ?? 1) * 1_000));
      }
    };
    const startedAt = performance.now();
    for (let nth = 0; nth < count; nth += 8)
      await Promise.all(Array.from({ length: Math.min(8, count - nth) }, (_, index) => write(nth + index)));
    const accepted = performance.now() - startedAt;
    if (Date.now() > from) throw new Error('The messages could not be written before the first of them was due.');
    await new Promise((resolve) => setTimeout(resolve, from + 62_000 - Date.now()));
    await product.idle(300);
    const late = ledger
      .parse((await product.control('GET', 'provider/messages')).body)
      .data.flatMap(({ at, payload }) => {
        const dueAt = due.get(payload.text?.body ?? '');
        return dueAt === undefined ? [] : [Date.parse(at) - dueAt];
      })
      .toSorted((a, b) => a - b);
    const at = (share: number): number => late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? Number.NaN;
    return [
      { name: 'scheduled', unit: 'per second', value: (count * 1_000) / accepted },
      { name: 'messages accepted by the provider', unit: 'calls', value: late.length, atLeast: count, atMost: count },
      { name: 'accepted early', unit: 'calls', value: late.filter((ms) => ms < 0).length, atMost: 0 },
      { name: 'late, median', unit: 'ms', value: at(0.5) },
      { name: 'late, p99', unit: 'ms', value: at(0.99), atMost: 2_000 },
      { name: 'late, at most', unit: 'ms', value: at(1) },
    ];
  },
};
