import { createHmac } from 'node:crypto';
import { Agent } from 'node:http';
import * as z from 'zod';
import { issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import { updateNumber } from '../../functions/account/service/numbers.ts';
import { unwrap } from '../../test/support/company.ts';
import { type Product, startProduct } from '../../test/support/product.ts';
import { addPeople, createSale, environmentOf, pause, postJson, whenAllRead } from '../running.ts';
import type { Scenario } from '../scenario.ts';

/** A number at 80 messages a second, each with three statuses. */
const postsPerSecond = Number(process.env['POSTS_PER_SECOND'] ?? 240);
const seconds = Number(process.env['POST_SECONDS'] ?? 60);
/** Before those: the processes are new, and their code is still being compiled. Printed apart. */
const firstSeconds = 3;
const recipients = Math.ceil((postsPerSecond * (firstSeconds + seconds)) / 3);
/** Posts between two messages of customers. */
const postsPerMessage = 48;

export const scenario: Scenario = {
  name: 'webhook-statuses',
  description: `${postsPerSecond} signed posts a second for ${seconds} s after the first ${firstSeconds} to the one address of a company, open loop, against the running product: a status of a campaign in each, and messages of customers among them`,
  deterministic: false,
  measure: async () => {
    await using product = await startProduct({ warm: true });
    const [company] = product.demo.companies;
    if (!company) throw new Error('There is no demo company.');
    Object.assign(process.env, environmentOf(product));
    await addPeople(product, recipients);
    // sent as fast as it goes: what is measured comes after
    unwrap(await updateNumber(company.id, 1, { rate: 1_000 }));
    await product.control('PUT', 'provider/faults', { hold_statuses: true });
    const campaignId = await createSale(product);
    await product.idle(600);
    const sent = await sentMessages(product);
    const path = `/webhook/messaging/receive/${unwrap(await issueWebhookToken(company.id, { receiver: 'messaging' })).secret}`;
    const agent = new Agent({ keepAlive: true, maxSockets: 64 });
    let [refused, repeated] = [0, 0];
    const post = async (value: object): Promise<number> => {
      const { phone_number, phone_number_id, waba_id, app_secret } = company.messaging;
      const metadata = { display_phone_number: phone_number, phone_number_id };
      const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } };
      const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: waba_id, changes: [change] }] });
      const signature = createHmac('sha256', app_secret).update(body).digest('hex');
      const sentAt = performance.now();
      for (let attempt = 1; ; attempt++) {
        const status = await postJson(`${product.baseUrl}${path}`, agent, body, { 'x-hub-signature-256': `sha256=${signature}` }).catch(
          (error: unknown) => {
            // a kept connection may be closed just as it is used again: the provider repeats
            if (attempt >= 5) throw error;
            return undefined;
          },
        );
        if (status !== undefined && status !== 200) refused++;
        if (status !== undefined) return performance.now() - sentAt;
        repeated++;
      }
    };

    const posts = ['sent', 'delivered', 'read'].flatMap((status) => sent.map((message) => () => post(statusOf(message, status))));
    const written = new Map<string, number>();
    const stored = watched(product, written);
    const running: Promise<number>[] = [];
    const startedAt = performance.now();
    while (running.length < posts.length) {
      const due = Math.min(posts.length, Math.floor(((performance.now() - startedAt) / 1_000) * postsPerSecond) + 1);
      while (running.length < due) {
        const nth = running.length;
        const next = posts[nth]?.() ?? Promise.resolve(0);
        next.catch(() => refused++);
        running.push(next);
        if (nth % postsPerMessage !== 0) continue;
        const from = String(4_915_900_000_000 + nth);
        written.set(from, performance.now());
        post(inboundOf(from)).catch(() => refused++);
      }
      await pause(2);
    }
    const all = await Promise.all(running);
    const lastPostAt = performance.now();
    const sorted = (times: readonly number[]): number[] => times.toSorted((a, b) => a - b);
    const first = sorted(all.slice(0, postsPerSecond * firstSeconds));
    const took = sorted(all.slice(postsPerSecond * firstSeconds));
    const lateness = sorted(await stored.end());
    const readAt = await whenAllRead(product, campaignId, sent.length, 300_000);
    agent.destroy();
    return [
      { name: 'posts refused', unit: 'requests', value: refused, atMost: 0 },
      { name: 'connections lost and posts repeated', unit: 'calls', value: repeated },
      { name: 'until the 200, median', unit: 'ms', value: Math.round(at(took, 0.5)) },
      { name: 'until the 200, p99', unit: 'ms', value: Math.round(at(took, 0.99)), atMost: 200 },
      { name: `until the 200 in the first ${firstSeconds} s, p99`, unit: 'ms', value: Math.round(at(first, 0.99)) },
      { name: 'posts answered', unit: 'per second', value: (posts.length * 1_000) / (lastPostAt - startedAt) },
      { name: 'messages of customers, until shown, p99', unit: 'ms', value: Math.round(at(lateness, 0.99)), atMost: 5_000 },
      {
        name: 'campaign statistics equal its rows, after the last post',
        unit: 'ms',
        value: Math.round(Math.max(0, readAt - lastPostAt)),
        atMost: 60_000,
      },
    ];
  },
};

const at = (sorted: readonly number[], share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;

const sentMessage = z.object({ to: z.string(), wamid: z.string(), reference: z.string() });
type SentMessage = z.output<typeof sentMessage>;

/** What the provider accepted of the campaign. */
async function sentMessages(product: Product): Promise<SentMessage[]> {
  const ledger = z.object({ data: z.array(z.looseObject({ reference: z.string().nullish() })) });
  const { data } = ledger.parse((await product.control('GET', 'provider/messages')).body);
  const sent = data.filter(({ reference }) => reference?.startsWith('sbc1:')).map((each) => sentMessage.parse(each));
  if (sent.length < recipients) throw new Error(`The campaign sent ${sent.length} of ${recipients} messages.`);
  return sent;
}

const seconds1970 = (): string => String(Math.floor(Date.now() / 1_000));

const statusOf = ({ to, wamid, reference }: SentMessage, status: string): object => ({
  statuses: [{ id: wamid, status, timestamp: seconds1970(), recipient_id: to, biz_opaque_callback_data: reference }],
});

const inboundOf = (from: string): object => ({
  contacts: [{ profile: { name: 'Customer' }, wa_id: from }],
  messages: [{ from, id: `wamid.bench-${from}`, timestamp: seconds1970(), type: 'text', text: { body: 'Hello' } }],
});

/** Looks at the newest conversations again and again, and measures how long a customer's message took to be among them. */
function watched(product: Product, written: ReadonlyMap<string, number>): { end: () => Promise<number[]> } {
  const shown = new Map<string, number>();
  const look = async (): Promise<void> => {
    const answer = await product.asOwner({ method: 'GET', path: '/api/v1/conversations', query: { limit: 100 } });
    for (const [phone, sentAt] of written)
      if (!shown.has(phone) && answer.raw.includes(phone)) shown.set(phone, performance.now() - sentAt);
  };
  let hasEnded = false;
  const looking = (async () => {
    for (const until = { at: Number.POSITIVE_INFINITY }; ; await pause(250)) {
      await look();
      if (hasEnded && until.at === Number.POSITIVE_INFINITY) until.at = performance.now() + 60_000;
      if (hasEnded && (shown.size === written.size || performance.now() > until.at)) return;
    }
  })();
  return {
    end: async () => {
      hasEnded = true;
      await looking;
      return [...written.keys()].map((phone) => shown.get(phone) ?? Number.POSITIVE_INFINITY);
    },
  };
}
