import { createHmac } from 'node:crypto';
import { Agent } from 'node:http';
import { issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import { unwrap } from '../../test/support/company.ts';
import { startProduct } from '../../test/support/product.ts';
import { environmentOf, inboundPost, postJson } from '../running.ts';
import type { Scenario } from '../scenario.ts';

const postsPerSecond = 200;
const seconds = 10;
/** Before those: the processes are new, and their code is still being compiled. Printed apart. */
const firstSeconds = 3;
/** One address takes 1,200 posts a minute (G12): these share the load as the numbers of several companies would. */
const addresses = 16;
/** Kept open, as the provider's: waiting for a free one counts as waiting for the answer. */
const connections = 64;
const maxTries = 5;

export const scenario: Scenario = {
  name: 'webhook-ack',
  description: `${postsPerSecond} signed provider posts a second for ${seconds} s after the first ${firstSeconds}, open loop, against the running product: until each 200, and until all is stored`,
  deterministic: false,
  measure: async () => {
    await using product = await startProduct({ warm: true });
    const [company] = product.demo.companies;
    if (!company) throw new Error('There is no demo company.');
    const { messaging } = company;
    const env = environmentOf(product);
    Object.assign(process.env, env);
    const paths: string[] = [];
    for (let nth = 0; nth < addresses; nth++)
      paths.push(`/webhook/messaging/receive/${unwrap(await issueWebhookToken(company.id, { receiver: 'messaging' })).secret}`);

    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const post = async (nth: number): Promise<number> => {
      const body = inboundPost(messaging, nth);
      const signature = createHmac('sha256', messaging.app_secret).update(body).digest('hex');
      const address = `${product.baseUrl}${paths[nth % paths.length]}`;
      const sentAt = performance.now();
      // a kept connection may be closed just as it is used again, and a busy port refuse one: the provider repeats, and so do we, on
      // the same clock
      for (let attempt = 1; ; attempt++) {
        const status = await postJson(address, agent, body, { 'x-hub-signature-256': `sha256=${signature}` }).catch((error: unknown) => {
          if (attempt >= maxTries) throw error;
          return undefined;
        });
        if (status !== undefined && status !== 200) throw new Error(`A post was answered ${status}.`);
        if (status === 200) return performance.now() - sentAt;
        repeated++;
        await new Promise((resolve) => setTimeout(resolve, 5 * attempt));
      }
    };
    let repeated = 0;
    const failures: unknown[] = [];
    for (let nth = 0; nth < paths.length; nth++) await post(nth);
    await product.idle(60);

    const total = postsPerSecond * (firstSeconds + seconds);
    const startedAt = performance.now();
    const running: Promise<number>[] = [];
    while (running.length < total) {
      const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1_000) * postsPerSecond) + 1);
      while (running.length < due)
        running.push(
          // handled at once: a rejection without a handler yet would end the process, and the reason be lost
          post(1_000 + running.length).catch((error: unknown) => {
            failures.push(error);
            return Number.POSITIVE_INFINITY;
          }),
        );
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const all = await Promise.all(running);
    const answeredAt = performance.now();
    agent.destroy();
    if (failures.length > 0) throw new Error(`${failures.length} of ${total} posts failed.`, { cause: failures[0] });
    await product.idle(300);
    const took = all.slice(postsPerSecond * firstSeconds).toSorted((a, b) => a - b);
    const first = all.slice(0, postsPerSecond * firstSeconds).toSorted((a, b) => a - b);
    return [
      { name: 'until the 200, median', unit: 'ms', value: at(took, 0.5) },
      { name: 'until the 200, p99', unit: 'ms', value: at(took, 0.99), atMost: 200 },
      { name: 'until the 200, slowest', unit: 'ms', value: at(took, 1) },
      { name: `until the 200 in the first ${firstSeconds} s, p99`, unit: 'ms', value: at(first, 0.99) },
      { name: 'connections lost and posts repeated', unit: 'calls', value: repeated },
      { name: 'posts answered', unit: 'per second', value: (total * 1_000) / (answeredAt - startedAt) },
      { name: 'messages stored and folded', unit: 'per second', value: (total * 1_000) / (performance.now() - startedAt) },
    ];
  },
};

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
