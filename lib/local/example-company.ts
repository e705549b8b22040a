import { createHmac, randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Switchboard, switchboard } from '../../client/client.ts';
import { dayMs, hourMs, isoTime, now } from '../../shared/runtime/clock.ts';
import {
  cannedReplies,
  carts,
  conversations,
  customers,
  type Customer,
  exampleTemplates,
  leads,
  orders,
  products,
  type Step,
  subscribers,
  verifications,
} from './example-content.ts';
import type { Demo } from './demo-file.ts';
import type { ProviderControl } from './demo.ts';

type Company = Demo['companies'][number];

interface ExampleOptions {
  baseUrl: string;
  dataDir: string;
  company: Company;
  /** The simulator's own controls. */
  control: ProviderControl;
}

/** What is made by this, with what. */
interface Example extends ExampleOptions {
  owner: Switchboard;
  member: Switchboard;
  /** Ids of contacts by phone. */
  contacts: Map<string, number>;
}

/**
 * Gives the third demo company a shop's everyday content: conversations of all kinds, campaigns, leads, orders, carts, verification. All of
 * it goes through the API, the receivers and the simulator, as a company's own would. It is made once for a data folder; after a crash
 * in the middle the next start goes on, and a conversation that exists is not written again.
 */
export const fillExampleCompany = async (options: ExampleOptions): Promise<void> => {
  const made = join(options.dataDir, 'example-company.made');
  if (existsSync(made)) return;
  const { baseUrl, company } = options;
  const as = (role: 'owner' | 'member'): Switchboard => switchboard({ baseUrl, token: company.tokens[role] });
  const example: Example = { ...options, owner: as('owner'), member: as('member'), contacts: new Map() };
  await makeContacts(example);
  // what an agent sees first comes first
  await makeTemplates(example);
  await makeConversations(example);
  await Promise.all([makeLeads(example), makeShop(example), makeVerifications(example), makeCannedReplies(example)]);
  // the campaign waits for its next step, up to a minute
  await makeCampaigns(example);
  writeFileSync(made, '');
};

const makeContacts = async ({ owner, contacts }: Example): Promise<void> => {
  const group = await found(
    async () => (await owner.groups.list()).data.data,
    'Newsletter',
    async () => (await owner.groups.create({ body: { name: 'Newsletter' } })).data,
  );
  await owner.contacts.bulkSync({ body: { contacts: [...subscribers], group_id: group.id } });
  await owner.contacts.bulkSync({ body: { contacts: customers.map(({ phone, name }) => ({ phone, name })) } });
  for (const [name, color] of tagColors) {
    const tag = await found(
      async () => (await owner.tags.list()).data,
      name,
      async () => (await owner.tags.create({ body: { name, color } })).data,
    );
    const tagged = customers.filter(({ tags }) => tags.includes(name));
    await owner.contacts.bulkSync({ body: { contacts: tagged.map(({ phone }) => ({ phone })), tag_id: tag.id } });
  }
  for (const { id, phone } of (await owner.contacts.list({ query: { limit: 100 } })).data) contacts.set(phone.replaceAll(/\D/g, ''), id);
  await inTurns(customers, async ({ phone, email, city }) => {
    const id = contacts.get(phone);
    if (id !== undefined) await owner.contacts.update({ params: { id }, body: { email, city } });
  });
};

const tagColors = [
  ['VIP', '#7048e8'],
  ['Wholesale', '#1971c2'],
  ['Complaint', '#e03131'],
] as const;

const found = async <T extends { name: string }>(list: () => Promise<readonly T[]>, name: string, make: () => Promise<T>): Promise<T> =>
  (await list()).find((each) => each.name === name) ?? (await make());

const makeConversations = async (example: Example): Promise<void> => {
  const existing = new Set((await example.owner.conversations.list({ query: { limit: 100 } })).data.map(({ id }) => id));
  await inTurns(conversations, async ({ with: phone, steps }) => {
    const customer = customers.find((each) => each.phone === phone);
    const id = example.contacts.get(phone);
    if (!customer || id === undefined || existing.has(id)) return;
    for (const step of steps) if (!(await take(example, customer, id, step))) return;
  });
};

/**
 * One step of a conversation: the customer writes, or a user does something.
 *
 * @returns whether the next one can follow: on a laptop that is busy, what a customer writes may not arrive in time to be answered
 */
const take = async (example: Example, { phone, name }: Customer, id: number, step: Step): Promise<boolean> => {
  const { owner, member, company } = example;
  if ('customer' in step) {
    const before = await messagesOf(example, id);
    await write(example, { from: phone, name, seconds_ago: (step.minutesAgo ?? 0) * 60, ...step.customer });
    return until(async () => (await messagesOf(example, id)) > before, 180_000);
  }
  if ('reply' in step) await member.messages.sendText({ body: { contact_id: id, message: step.reply, window_policy: 'provider' } });
  if ('later' in step)
    await member.messages.sendText({ body: { contact_id: id, message: step.later, scheduled_at: isoTime(now() + 20 * hourMs) } });
  if ('template' in step)
    await member.messages.sendTemplate({
      body: {
        contact_id: id,
        template_name: 'order_update',
        template_language: 'en',
        components: [{ type: 'body', parameters: step.template.map((text) => ({ type: 'text', text })) }],
      },
    });
  if ('note' in step) await member.conversations.createNote({ params: { id }, body: { body: step.note } });
  if ('assign' in step) await owner.conversations.update({ params: { id }, body: { assigned_to: company.users[step.assign] } });
  if ('isRead' in step) await member.conversations.read({ params: { id } });
  if ('isClosed' in step) await member.conversations.update({ params: { id }, body: { status: 'closed' } });
  return true;
};

const write = async ({ control, company }: Example, message: Record<string, unknown>): Promise<void> => {
  const answer = await control('POST', '/_local/provider/inbound', { company_id: String(company.id), ...message });
  if (answer?.status !== 200) throw new Error(`The provider simulator answered ${answer?.status ?? 'nothing'} to an inbound message.`);
};

/** How many messages of the customer the conversation has, once it is in the inbox: what follows is an answer to them. */
const messagesOf = async ({ owner }: Example, id: number): Promise<number> => {
  // one that is not there yet would be refused, and be in the company's request log
  const listed = (await owner.conversations.list({ query: { limit: 100 } })).data.find((each) => each.id === id);
  if (!listed || listed.unread_count === 0) return 0;
  return (await owner.conversations.listMessages({ params: { id } })).data.filter((each) => each.is_message_by_contact === 1).length;
};

/** Whether it holds within some time: an example without one answer is better than none. */
const until = async (holds: () => Promise<boolean>, ms = 30_000): Promise<boolean> => {
  for (const end = performance.now() + ms; performance.now() < end; await pause(150)) if (await holds()) return true;
  return false;
};

const makeTemplates = async ({ owner, control, company }: Example): Promise<void> => {
  await control('PUT', '/_local/provider/templates', { waba_id: company.messaging.waba_id, templates: exampleTemplates });
  await owner.templates.syncAll({});
};

const makeCannedReplies = async ({ owner }: Example): Promise<void> => {
  for (const { shortcut, text } of cannedReplies) await owner.cannedReplies.set({ params: { shortcut }, body: { text } });
};

/** A campaign that is done, and two that wait for their time. */
const makeCampaigns = async ({ owner }: Example): Promise<void> => {
  const existing = (await owner.campaigns.list()).data.map(({ name }) => name);
  const template = (await owner.templates.list()).data.find(({ name }) => name === 'spring_sale');
  const group = (await owner.groups.list()).data.data.find(({ name }) => name === 'Newsletter');
  if (!template || !group) throw new Error('The template or the group of the campaign is missing.');
  const campaign = { template_id: template.id, group_id: group.id, parammatch: { 1: 'name' }, paramvalues: { 1: 'you' } };
  const plans = [
    { name: 'Winter collection', send_now: true },
    { name: 'Advent weekend', send_time: isoTime(now() + 3 * dayMs) },
    { name: 'New year clearance', send_time: isoTime(now() + 38 * dayMs) },
  ];
  for (const plan of plans) if (!existing.includes(plan.name)) await owner.campaigns.create({ body: { ...campaign, ...plan } });
  // what a campaign wrote waits for no agent
  const phones = new Set(subscribers.map(({ phone }) => phone));
  const written = async () =>
    (await owner.conversations.list({ query: { limit: 100 } })).data.filter(({ contact }) =>
      phones.has(contact.phone.replaceAll(/\D/g, '')),
    );
  await until(async () => (await written()).length >= phones.size, 180_000);
  const ids = (await written()).filter(({ status }) => status === 'open').map(({ id }) => id);
  if (ids.length > 0) await owner.conversations.bulkUpdate({ body: { ids, status: 'closed' } });
};

const makeLeads = async ({ owner, contacts, company }: Example): Promise<void> => {
  const pipeline = await found(
    async () => (await owner.pipelines.list()).data,
    'Interiors',
    async () => (await owner.pipelines.create({ body: { name: 'Interiors', template: 'sales' } })).data,
  );
  const existing = (await owner.leads.list({})).data.map(({ title }) => title);
  await inTurns(leads, async ({ of, title, value, stage, task, inHours }) => {
    const contactId = contacts.get(of);
    const stageId = pipeline.stages[stage]?.id;
    if (contactId === undefined || stageId === undefined || existing.includes(title)) return;
    const { data: lead } = await owner.leads.create({
      body: {
        contact_id: contactId,
        pipeline_id: pipeline.id,
        title,
        value,
        currency: 'EUR',
        owner_id: company.users.member,
        creation_key: randomUUID(),
        source: 'whatsapp',
      },
    });
    if (stage > 0) await owner.leads.move({ params: { id: lead.id }, body: { version: lead.version, stage_id: stageId } });
    if (task === undefined) return;
    const due = isoTime(now() + inHours * hourMs);
    await owner.leads.createTask({
      params: { id: lead.id },
      body: { title: task, due_at: due, assignee_id: company.users.member, retry_key: title },
    });
  });
};

/** Products by the ERP, orders by its receiver, carts by the checkout's: each repeats without a second record. */
const makeShop = async ({ baseUrl, company: { shop } }: Example): Promise<void> => {
  const erp = switchboard({ baseUrl, erpToken: shop.erp_token });
  await erp.erp.sync({ body: { products } });
  const { custom, checkout } = shop.receivers;
  for (const { placed, status } of orders) {
    await post(custom.url, { event: 'order.placed', data: placed });
    if (status !== undefined)
      await post(custom.url, { event: 'order.status_updated', data: { order_number: placed.order_number, status } });
  }
  for (const [index, { of, item, total }] of carts.entries()) {
    const cart = {
      event: 'checkout.updated',
      checkout_id: `cart-${index + 1}`,
      customer: { name: of.name, phone: `+${of.phone}` },
      cart_url: `https://cedar.example/cart/${index + 1}`,
      total_amount: total,
      currency: 'EUR',
      items: [{ name: item }],
    };
    await post(checkout.url, cart, checkout.secret);
  }
};

const post = async (url: string, content: unknown, secret?: string): Promise<void> => {
  const body = JSON.stringify(content);
  const signature = secret === undefined ? {} : { 'x-webhook-signature': createHmac('sha256', secret).update(body).digest('hex') };
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...signature }, body });
  if (!answer.ok) throw new Error(`The receiver answered ${answer.status}: ${await answer.text()}`);
};

const makeVerifications = async ({ baseUrl, company: { verification }, control }: Example): Promise<void> => {
  const { public_key: publicKey, secret_key: secretKey } = verification;
  const server = switchboard({ baseUrl, publicKey, secretKey });
  for (const { phone, purpose, enters } of verifications) {
    const request = await server.verification.request({ body: { identifier: `+${phone}`, purpose } });
    if (enters === 'nothing' || !('request_id' in request)) continue;
    const code = enters === 'right' ? await codeSentTo(phone, control) : '000000';
    if (code !== undefined) await server.verification.verifyCode({ body: { request_id: request.request_id, code } });
  }
};

/** The code in the newest message to a phone at the simulator. */
const codeSentTo = async (phone: string, control: ProviderControl): Promise<string | undefined> => {
  let code: string | undefined;
  await until(async () => {
    const answer = await control('GET', `/_local/provider/messages?phone=${phone}`, undefined);
    code = /"text":\s*"(\d{4,8})"/.exec(JSON.stringify(answer?.body ?? {}))?.[1];
    return code !== undefined;
  });
  return code;
};

/** A few at a time: beside the content, people already use the product. */
const inTurns = async <T>(each: readonly T[], make: (one: T) => Promise<void>): Promise<void> => {
  const left = [...each].values();
  const turn = async (): Promise<void> => {
    for (const one of left) await make(one);
  };
  await Promise.all([turn(), turn(), turn()]);
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
