import { createHmac } from 'node:crypto';
import { Agent } from 'node:http';
import * as z from 'zod';
import { issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import { unwrap } from '../../test/support/company.ts';
import { startProduct } from '../../test/support/product.ts';
import { environmentOf, inboundPost, pause, postJson } from '../running.ts';
import type { Scenario } from '../scenario.ts';

const postsPerSecond = 50;
const seconds = 20;
/** Each writes once a second, so that the nth event of a conversation is the nth post of its sender. */
const senders = 50;
const pollEveryMs = 500;

export const scenario: Scenario = {
  name: 'event-feed',
  description: `${postsPerSecond} inbound messages a second for ${seconds} s against the running product, and a page that polls the event log twice a second: from each post until the page has its event`,
  deterministic: false,
  measure: async () => {
    await using product = await startProduct({ warm: true });
    const [company] = product.demo.companies;
    if (!company) throw new Error('There is no demo company.');
    Object.assign(process.env, environmentOf(product));
    const path = `/webhook/messaging/receive/${unwrap(await issueWebhookToken(company.id, { receiver: 'messaging' })).secret}`;
    const agent = new Agent({ keepAlive: true, maxSockets: 32 });
    const post = async (nth: number): Promise<void> => {
      const body = inboundPost(company.messaging, nth, senders);
      const signature = createHmac('sha256', company.messaging.app_secret).update(body).digest('hex');
      const status = await postJson(`${product.baseUrl}${path}`, agent, body, { 'x-hub-signature-256': `sha256=${signature}` });
      if (status !== 200) throw new Error(`A post was answered ${status}.`);
    };
    const eventsAfter = async (after: string) => {
      const query = { after, types: 'message.received', limit: 100 };
      const answer = await product.asOwner({ method: 'GET', path: '/api/v1/events', query });
      if (answer.status !== 200) throw new Error(answer.raw);
      return feed.parse(answer.body);
    };
    // each sender once, one after the other: so the order of the first events shows whose conversation is which
    const senderOf = new Map<string, number>();
    let cursor = (await eventsAfter('0')).meta.next_cursor;
    for (let sender = 0; sender < senders; sender++) {
      await post(sender);
      for (let tries = 0; senderOf.size <= sender; tries++) {
        if (tries > 200) throw new Error('The first events did not come.');
        const page = await eventsAfter(cursor);
        for (const { subject } of page.data) senderOf.set(subject, sender);
        cursor = page.meta.next_cursor;
        if (senderOf.size <= sender) await pause(50);
      }
    }

    const total = postsPerSecond * seconds;
    const sentAt = new Map<number, number[]>();
    const took: number[] = [];
    let polls = 0;
    let isPolling = true;
    const polling = (async () => {
      const seen = new Map<number, number>();
      while (isPolling) {
        const page = await eventsAfter(cursor);
        polls++;
        cursor = page.meta.next_cursor;
        for (const { subject } of page.data) {
          const sender = senderOf.get(subject) ?? -1;
          const nth = seen.get(sender) ?? 0;
          seen.set(sender, nth + 1);
          took.push(performance.now() - (sentAt.get(sender)?.[nth] ?? Number.NEGATIVE_INFINITY));
        }
        if (!page.meta.has_more) await pause(pollEveryMs);
      }
    })();
    const startedAt = performance.now();
    const running: Promise<void>[] = [];
    while (running.length < total) {
      const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1_000) * postsPerSecond) + 1);
      while (running.length < due) {
        const nth = senders + running.length;
        const sender = nth % senders;
        sentAt.set(sender, [...(sentAt.get(sender) ?? []), performance.now()]);
        running.push(post(nth));
      }
      await pause(5);
    }
    await Promise.all(running);
    for (let tries = 0; took.length < total && tries < 120; tries++) await pause(pollEveryMs);
    isPolling = false;
    await polling;
    agent.destroy();
    if (took.length !== total) throw new Error(`The page has ${took.length} events of ${total} messages.`);
    const sorted = took.toSorted((a, b) => a - b);
    const at = (share: number): number => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
    return [
      { name: 'until a polling page has the event, median', unit: 'ms', value: at(0.5) },
      { name: 'until a polling page has the event, p99', unit: 'ms', value: at(0.99), atMost: 2_000 },
      { name: 'until a polling page has the event, slowest', unit: 'ms', value: at(1) },
      { name: 'polls meanwhile', unit: 'calls', value: polls },
    ];
  },
};

const feed = z.object({
  data: z.array(z.looseObject({ subject: z.string() })),
  meta: z.looseObject({ has_more: z.boolean(), next_cursor: z.string() }),
});
