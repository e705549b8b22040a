import * as z from 'zod';
import { storedContact, type StoredContact } from '../../functions/contacts/contract/stored.ts';
import { findByIdentities } from '../../functions/contacts/service/find-by-identities.ts';
import { contactIdOf } from '../support/contact-id.ts';
import { conversationEntityName, storedConversation } from '../../functions/conversations/contract/stored.ts';
import { secondOf } from '../../shared/runtime/ids.ts';
import { providerEnvelope, providerPost, type TestCompany } from '../support/company.ts';
import { crashInjection } from '../support/crash-injection.ts';
import { injectFaults, replayHalfADayLater } from '../support/fault-injection.ts';
import type { Call } from '../support/gateway-event.ts';
import { seeded, shuffled } from '../support/random.ts';
import type { Violation } from './fault-run.ts';
import type { Fixture } from './fixture.ts';

/**
 * Runs made by a seed in which customers change who they are: a number moves, a user id changes, one writes with a hidden phone and turns
 * out to be known, and a user merges the contacts of two phones. Webhooks come late and in any order, processes crash, deliveries repeat. When
 * all is quiet each customer is one contact with one conversation that has every message once.
 */
interface Customer {
  seed: number;
  name: string;
  company: TestCompany;
  phone: string;
  userId: string;
  /** A second phone, until a user merged its contact: with a user id of its own. */
  second: { phone: string; userId: string; isMerged: boolean } | undefined;
  /** What the customer wrote and the receiver acknowledged; and what the provider reported of the identity. */
  written: string[];
  system: string[];
}

export interface IdentityEmphasis {
  deaths?: number;
  duplicates?: number;
  /** Of webhooks that come after later ones. */
  late?: number;
}

const opsOfSeed = 12;

export const identityFaultRuns = async (
  fixture: Fixture,
  companies: readonly TestCompany[],
  seeds: readonly number[],
  { deaths = 0.4, duplicates = 0.3, late = 0.3 }: IdentityEmphasis = {},
): Promise<Violation[]> => {
  const { testApp } = fixture;
  const crashes = crashInjection();
  using _life = crashes.over(testApp, fixture.provider.url, process.env['AWS_ENDPOINT_URL_S3'] ?? 'no bucket');
  const customers: Customer[] = [];

  for (const seed of seeds) {
    const random = seeded(seed);
    await using faults = await injectFaults(testApp, seed);
    const company = companies[seed % companies.length];
    if (!company) throw new Error('There is no company.');
    const mine = [0, 1].map((index) => customerOf(seed, index, company));
    customers.push(...mine);
    const crashStep = (most: number): number | undefined => (random() < deaths ? 1 + Math.floor(random() * most) : undefined);
    const heldBack: { post: Call; note: () => void }[] = [];
    let serial = 0;

    const deliver = async ({ post, note }: { post: Call; note: () => void }): Promise<void> => {
      for (const steps of [crashStep(6), crashStep(6), undefined, undefined]) {
        const answer = await crashes.runWithCrash(steps, () => testApp.call(post));
        if (answer?.status !== 200) continue;
        note();
        return;
      }
    };
    const send = async (webhook: { post: Call; note: () => void }): Promise<void> => {
      if (random() < late) heldBack.push(webhook);
      else await deliver(webhook);
      if (heldBack.length > 0 && random() < 0.4) await deliver(heldBack.splice(Math.floor(random() * heldBack.length), 1)[0] ?? webhook);
    };
    const nextWamid = (): string => `wamid.who-${seed}-${++serial}`;
    const message = (
      customer: Customer,
      from: Record<string, unknown>,
      body: Record<string, unknown>,
    ): { post: Call; note: () => void } => {
      // the provider's clock has whole seconds
      testApp.clock.advance(2_000);
      const id = nextWamid();
      const list = body['type'] === 'system' ? customer.system : customer.written;
      const full = { id, timestamp: String(Math.floor(testApp.clock.now() / 1_000)), ...from, ...body };
      return { post: providerPost(company, providerEnvelope(company, { messages: [full] })), note: () => void list.push(id) };
    };
    const text = { type: 'text', text: { body: 'Hello' } };

    const operate = async (customer: Customer): Promise<void> => {
      const { phone, userId, second } = customer;
      const act = random();
      if (act < 0.2) return send(message(customer, { from: phone }, text));
      if (act < 0.4) return send(message(customer, { from_user_id: userId }, text));
      if (act < 0.5) return send(message(customer, { from: phone, from_user_id: userId }, text));
      if (act < 0.65) {
        // no number twice: the provider gives one to another customer after months
        const fresh = String(Number(phone) + 1);
        const moved = message(customer, { from: phone }, { type: 'system', system: { type: 'user_changed_number', wa_id: fresh } });
        customer.phone = fresh;
        return send(moved);
      }
      if (act < 0.75) {
        const current = `US.${customer.name}-${++serial}`;
        customer.userId = current;
        // as the provider does it now: no sender, and the former id beside the new one
        const system = { type: 'user_changed_user_id', user_id: current, previous_user_id: userId };
        if (random() < 0.7) return send(message(customer, {}, { type: 'system', system }));
        const update = { wa_id: phone, user_id: { previous: userId, current } };
        testApp.clock.advance(2_000);
        return send({ post: identityPost(company, update), note: () => undefined });
      }
      if (second === undefined) {
        customer.second = { phone: `48${phone.slice(2)}`, userId: `PL.${customer.name}`, isMerged: false };
        return send(message(customer, { from: customer.second.phone, from_user_id: customer.second.userId }, text));
      }
      if (second.isMerged) return send(message(customer, random() < 0.5 ? { from: second.phone } : { from_user_id: second.userId }, text));
      return mergeSecond(customer, second);
    };

    /** By a user of the company, who repeats the call until it is answered. */
    const mergeSecond = async (customer: Customer, second: NonNullable<Customer['second']>): Promise<void> => {
      // as they are shown, however late a read of this moment is
      const [own, other] = await Promise.all([
        findByIdentities(company.id, { phone: customer.phone, userId: customer.userId }, { consistent: true }),
        findByIdentities(company.id, { phone: second.phone }, { consistent: true }),
      ]);
      const [id, contact_id] = [own?.contactId, other?.contactId];
      if (id === undefined || contact_id === undefined) return;
      if (id === contact_id) return void (second.isMerged = true);
      const call: Call = { method: 'POST', path: `/api/v1/contacts/${id}/merge`, token: company.tokens.member, body: { contact_id } };
      for (const steps of [crashStep(12), crashStep(12), undefined, undefined]) {
        const answer = await crashes.runWithCrash(steps, () => testApp.call(call));
        if (answer?.status === 200) second.isMerged = true;
        if (answer && answer.status < 500) return;
      }
    };

    const workOff = async (): Promise<void> => {
      const disorder = { seed, duplicate: duplicates, reorder: true };
      for (const steps of [crashStep(60), undefined, undefined])
        await crashes.runWithCrash(steps, () => testApp.drain({ disorder, retry: false }));
      await testApp.drain({ disorder });
    };

    // known by phone, by user id, or by both as two contacts
    for (const [index, customer] of mine.entries()) {
      if ((seed + index) % 3 !== 0) await deliver(message(customer, { from: customer.phone }, text));
      if ((seed + index) % 3 !== 1) await deliver(message(customer, { from_user_id: customer.userId }, text));
    }
    if (random() < 0.7) await workOff();
    for (let op = 0; op < opsOfSeed; op++) {
      const customer = mine[Math.floor(random() * mine.length)];
      if (customer) await operate(customer);
      if (random() < 0.4) {
        const disorder = { seed: seed * 100 + op, duplicate: duplicates, crash: 0.15, replay: 0.1, reorder: true };
        await crashes.runWithCrash(crashStep(60), () => testApp.drain({ disorder, retry: false }));
      }
      await crashes.runWithCrash(crashStep(60), () => faults.between());
    }
    for (const webhook of shuffled(heldBack, random)) await deliver(webhook);
    await workOff();
    // in the end everybody writes with both identities, and the contacts of two phones are merged
    for (const customer of mine) {
      await deliver(message(customer, { from: customer.phone, from_user_id: customer.userId }, text));
      await workOff();
      if (customer.second && !customer.second.isMerged) await mergeSecond(customer, customer.second);
      await workOff();
    }
  }
  await replayHalfADayLater(testApp, seeds[0] ?? 0);
  return await findIdentityViolations(fixture, companies, customers);
};

const customerOf = (seed: number, index: number, company: TestCompany): Customer => ({
  seed,
  name: `${seed}-${index}`,
  company,
  phone: String(49_160_000_000_000 + seed * 1_000 + index * 100),
  userId: `US.${seed}-${index}`,
  second: undefined,
  written: [],
  system: [],
});

const identityPost = (company: TestCompany, update: Record<string, unknown>): Call => {
  const envelope = providerEnvelope(company, { user_id_update: [update] });
  const [entry] = envelope['entry'] as { changes: { field: string }[] }[];
  if (entry?.changes[0]) entry.changes[0].field = 'user_id_update';
  return providerPost(company, envelope);
};

/** Where the table is not as if everybody had had one identity, and every webhook had come once and in order. */
async function findIdentityViolations(
  fixture: Fixture,
  companies: readonly TestCompany[],
  customers: readonly Customer[],
): Promise<Violation[]> {
  const { testApp } = fixture;
  const found: Violation[] = [];
  for (const company of companies) {
    const own = customers.filter((customer) => customer.company === company);
    const dump = await testApp.dump();
    const contacts = dump.filter(({ kind, c }) => kind === 'contact' && c === company.id).map((item) => storedContact.parse(item));
    const summaries = dump
      .filter(({ kind, companyId }) => kind === conversationEntityName && companyId === company.id)
      .map((item) => storedConversation.parse(item));
    const messages = await fixture.messages(company.id);
    const live = contacts.filter(({ deletedAt }) => deletedAt === undefined);
    for (const customer of own) {
      const blame = (what: string): void => void found.push({ seed: customer.seed, what });
      const rows = messages.filter(({ wamid = '' }) => customer.written.includes(wamid) || customer.system.includes(wamid));
      // delivered twice at the moment of a merge it may have a row with each: it is shown once
      const wamids = [...customer.written, ...customer.system];
      for (const wamid of wamids) {
        const holders = rows.filter((row) => row.wamid === wamid).map(({ contactId }) => contactId);
        if (holders.length === 0 || new Set(holders).size < holders.length) blame(`${wamid} has ${holders.length} rows`);
      }
      const owners = new Set(rows.map(({ contactId }) => ownerOf(contacts, contactId)?.id));
      const [id] = owners;
      if (owners.size !== 1 || id === undefined) {
        blame(`${customer.phone} is ${owners.size} contacts: ${[...owners].join(', ')}`);
        continue;
      }
      const contact = live.find((each) => each.id === id);
      if (contact?.phone !== customer.phone) blame(`contact ${id} has the phone ${contact?.phone}, not ${customer.phone}`);
      for (const identity of [{ phone: customer.phone }, { userId: customer.userId }])
        if ((await contactIdOf(company.id, identity)) !== id) blame(`${JSON.stringify(identity)} does not lead to ${id}`);
      const shown = await shownMessages(fixture, company, id);
      const shownWamids = sorted(shown.map((each) => rows.find((row) => row.id === each)?.wamid));
      if (shownWamids !== sorted(wamids)) blame(`conversation ${id} shows ${shownWamids}, not ${sorted(wamids)}`);
      const summary = summaries.find(({ contactId }) => contactId === id);
      const [least, most] = [customer.written.length, customer.written.length + rows.length - wamids.length];
      if (!summary || summary.unread < least || summary.unread > most)
        blame(`conversation ${id} has ${summary?.unread} unread, of ${least} to ${most}`);
      if (summary && secondOf(summary.lastMessageId) !== Math.max(...rows.map((row) => secondOf(row.id))))
        blame(`conversation ${id} shows an older message`);
    }
    const writers = own.filter(({ written, system }) => written.length + system.length > 0).length;
    if (live.length !== writers)
      found.push({ seed: -1, what: `company ${company.id} has ${live.length} contacts of ${writers} customers: twins` });
    const listed = summaries.filter(({ hidden }) => hidden !== true).length;
    if (listed !== writers) found.push({ seed: -1, what: `company ${company.id} lists ${listed} conversations of ${writers} customers` });
  }
  for (const spec of testApp.contexts.flatMap((context) => context.functions))
    if (spec.trigger === 'queue' && testApp.deadLettersOf(spec.queue).length > 0)
      found.push({ seed: -1, what: `${testApp.deadLettersOf(spec.queue).length} dead letters of ${spec.queue.name}` });
  return found;
}

function ownerOf(contacts: readonly StoredContact[], id: number): StoredContact | undefined {
  const contact = contacts.find((each) => each.id === id);
  return contact?.mergedInto === undefined ? contact : ownerOf(contacts, contact.mergedInto);
}

const page = z.object({ data: z.array(z.object({ id: z.int() })), meta: z.looseObject({ next_before_id: z.int().nullable() }) });

/** The ids of the messages that a user sees, a few at a time. */
async function shownMessages({ testApp }: Fixture, company: TestCompany, contactId: number): Promise<number[]> {
  const ids: number[] = [];
  for (let before: number | undefined | null; before !== null; ) {
    const query: Record<string, string> = { limit: '3', ...(before === undefined ? {} : { before_id: String(before) }) };
    const answer = await testApp.call({
      method: 'GET',
      path: `/api/v1/conversations/${contactId}/messages`,
      token: company.tokens.owner,
      query,
    });
    if (answer.status !== 200) return ids;
    const { data, meta } = page.parse(answer.body);
    ids.push(...data.map(({ id }) => id));
    before = meta.next_before_id;
  }
  return ids;
}

const sorted = (wamids: readonly (string | undefined)[]): string =>
  wamids
    .map(String)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join();
