import * as z from 'zod';
import { storedContact, type StoredContact } from '../../functions/contacts/contract/stored.ts';
import { consentRecord } from '../../functions/contacts/contract/consent.ts';
import type { CampaignFixture } from '../campaigns/fixture.ts';
import { providerEnvelope, providerPost, type TestCompany } from '../support/company.ts';
import type { Call } from '../support/gateway-event.ts';
import { type Random, seeded, shuffled } from '../support/random.ts';

/**
 * Runs made by a seed in which users get another user id: the system message comes before what they write with the new one, after it, twice, or not at all,
 * and then a message with the phone that is known shows it, or nothing does. Before and after they stop and start, by word and at the provider. What was
 * delivered says which names are one customer's, and what that customer decided last; campaigns in between and at the end must follow it.
 */
export interface Violation {
  seed: number;
  what: string;
}

type When = 'early' | 'late' | 'twice' | 'never';
interface Customer {
  seed: number;
  phone: string;
  userIds: string[];
  when: When;
}

/** What a delivered post shows: names of one customer, or a decision under one of them. */
interface Evidence {
  names: string[];
  decision?: { aspect: 'word' | 'provider'; stops: boolean; at: number };
}
interface Post {
  call: Call;
  customer: Customer;
  evidence: Evidence;
}

export const identityChangeRuns = async (fixture: CampaignFixture, seeds: readonly number[]): Promise<Violation[]> => {
  const { testApp } = fixture;
  const [first = 1] = seeds;
  const random = seeded(first);
  const company = await fixture.campaigner();
  const delivered: Post[] = [];
  const found: Violation[] = [];
  const plans = seeds.flatMap((seed) => planOf(fixture, company, seed));
  const deliver = async (posts: readonly Post[]): Promise<void> => {
    for (const post of posts) {
      const answer = await testApp.call(post.call);
      if (answer.status !== 200) throw new Error(`The receiver answered ${answer.status}.`);
      delivered.push(post);
      if (random() < 0.08) await testApp.drain({ disorder: { seed: delivered.length, duplicate: 0.3, crash: 0.1, reorder: true } });
    }
    await testApp.drain({ disorder: { seed: first, duplicate: 0.3, reorder: true } });
  };
  for (const phase of [0, 1, 2]) {
    await deliver(
      interleaved(
        plans.map((plan) => plan[phase] ?? []),
        random,
      ),
    );
    found.push(...(await campaignViolations(fixture, company, { delivered, phase })));
    testApp.clock.advance(60_000);
  }
  return [...found, ...(await contactViolations(fixture, company, delivered))];
};

/** The posts about each customer of a seed, in three parts between which campaigns are sent. */
function planOf(fixture: CampaignFixture, company: TestCompany, seed: number): Post[][][] {
  return (['early', 'late', 'twice', 'never'] as const).map((when, nth) => {
    const random = seeded(seed * 10 + nth);
    const name = `${seed}x${nth}`;
    const userIds = Array.from({ length: random() < 0.3 ? 3 : 2 }, (_, index) => `US.${name}x${index}`.replaceAll('x', '7'));
    const customer: Customer = { seed, phone: `4915${String(70_000_000 + seed * 10 + nth)}`, userIds, when };
    return partsOf(fixture, { company, customer, random });
  });
}

function partsOf(
  { testApp }: CampaignFixture,
  { company, customer, random }: { company: TestCompany; customer: Customer; random: Random },
): Post[][] {
  const { phone, userIds, when } = customer;
  let second = Math.floor(testApp.clock.now() / 1_000) - 3_600;
  let serial = 0;
  const at = (): number => (second += 1 + Math.floor(random() * 20));
  const idOf = (): string => `wamid.who-${customer.seed}-${userIds[0] ?? ''}-${++serial}`;
  const post = (value: Record<string, unknown>, evidence: Evidence, field = 'messages'): Post => {
    const body = providerEnvelope(company, value) as { entry: { changes: { field: string }[] }[] };
    for (const change of body.entry[0]?.changes ?? []) change.field = field;
    return { call: providerPost(company, body), customer, evidence };
  };
  const message = (name: { from?: string; from_user_id?: string }, text = 'Hello'): Post => {
    const time = at();
    const names = Object.values(name);
    const decided = { aspect: 'word' as const, stops: text === 'STOP', at: time };
    const messages = [{ id: idOf(), timestamp: String(time), ...name, type: 'text', text: { body: text } }];
    return post({ messages }, { names, ...(text === 'Hello' ? {} : { decision: decided }) });
  };
  const preference = (userId: string, stops: boolean): Post => {
    const time = at();
    const choice = { user_id: userId, category: 'marketing_messages', value: stops ? 'stop' : 'resume', timestamp: time };
    const evidence = { names: [userId], decision: { aspect: 'provider' as const, stops, at: time } };
    return post({ contacts: [{ user_id: userId }], user_preferences: [choice] }, evidence, 'user_preferences');
  };
  const change = (from: string, to: string): Post => {
    const system = { type: 'user_changed_user_id', user_id: to, previous_user_id: from };
    const messages = [{ id: idOf(), timestamp: String(at()), type: 'system', system }];
    return post({ messages }, { names: [from, to] });
  };
  /** What is written under a user id: with the phone where that is shown. */
  const writing = (userId: string, showsPhone: boolean): Post[] => {
    const posts = [message({ ...(showsPhone ? { from: phone } : {}), from_user_id: userId })];
    const drawn = random();
    if (drawn < 0.3) posts.push(message({ from_user_id: userId }, 'STOP'));
    else if (drawn < 0.45) posts.push(message({ from_user_id: userId }, 'STOP'), message({ from_user_id: userId }, 'START'));
    else if (drawn < 0.65) posts.push(preference(userId, true));
    else if (drawn < 0.75) posts.push(preference(userId, true), preference(userId, false));
    return posts;
  };
  const parts: Post[][] = [[], [], []];
  const [before = [], amid = [], after = []] = parts;
  const showsPhone = random() < 0.5;
  before.push(...writing(userIds[0] ?? '', showsPhone));
  for (const [index, userId] of userIds.entries()) {
    const former = userIds[index - 1];
    if (former === undefined) continue;
    const notice = change(former, userId);
    const written = writing(userId, false);
    if (when === 'early') amid.push(notice, ...written);
    if (when === 'twice') amid.push(notice, ...written, notice);
    if (when === 'late' || when === 'never') amid.push(...written);
    if (when === 'late' || when === 'twice') after.push(notice);
    // without the system message, the phone shows it where it was shown before; in half of them nothing does
    if (when === 'never' && showsPhone && random() < 0.5) after.push(message({ from: phone, from_user_id: userId }));
  }
  // what comes in disorder has its time all the same
  return parts.map((part) => (random() < 0.5 ? part : shuffled(part, random)));
}

/** All lists as one, each in its own order. */
function interleaved<T>(lists: readonly (readonly T[])[], random: Random): T[] {
  const left = lists.filter((list) => list.length > 0).map((list) => [...list]);
  const all: T[] = [];
  while (left.length > 0) {
    const index = Math.floor(random() * left.length);
    const [next] = left[index]?.splice(0, 1) ?? [];
    if (next !== undefined) all.push(next);
    if (left[index]?.length === 0) left.splice(index, 1);
  }
  return all;
}

interface Known {
  customer: Customer;
  names: Set<string>;
  decisions: NonNullable<Evidence['decision']>[];
}

/** Who is one customer by what was delivered. */
function customersOf(delivered: readonly Post[]): Known[] {
  let known: Known[] = [];
  for (const { customer, evidence } of delivered) {
    const same = known.filter(({ names }) => evidence.names.some((name) => names.has(name)));
    known = known.filter((each) => !same.includes(each));
    known.push({
      customer,
      names: new Set([...same.flatMap(({ names }) => [...names]), ...evidence.names]),
      decisions: [...same.flatMap(({ decisions }) => decisions), ...(evidence.decision ? [evidence.decision] : [])],
    });
  }
  return known;
}

const hasStopped = ({ decisions }: Known): boolean =>
  (['word', 'provider'] as const).some(
    (aspect) => decisions.filter((each) => each.aspect === aspect).toSorted((a, b) => b.at - a.at)[0]?.stops === true,
  );

const ledgerEntry = z.looseObject({ wamid: z.string(), to: z.string(), payload: z.looseObject({ type: z.string() }) });

/** Sends a campaign to everybody, and compares who got it with what was delivered until then. */
async function campaignViolations(
  fixture: CampaignFixture,
  company: TestCompany,
  { delivered, phase }: { delivered: readonly Post[]; phase: number },
): Promise<Violation[]> {
  const before = (await fixture.ledger()).at(-1)?.wamid;
  const sale = { template_id: fixture.templateId(company, 'sale'), paramvalues: { 1: 'friend' } };
  await fixture.create(company, { ...sale, name: `Sale ${phase}` });
  await fixture.testApp.drain({ disorder: { seed: delivered.length, duplicate: 0.3, reorder: true } });
  await fixture.deliverAll();
  const sent = z
    .array(ledgerEntry)
    .parse(await fixture.ledgerAfter(before))
    .filter(({ payload }) => payload.type === 'template');
  const found: Violation[] = [];
  for (const known of customersOf(delivered)) {
    const { customer, names, decisions } = known;
    const got = sent.filter(({ to }) => names.has(to)).length;
    const blame = (what: string): void => void found.push({ seed: customer.seed, what: `${customer.when}, part ${phase}: ${what}` });
    if (hasStopped(known) && got > 0) blame(`${[...names].join()} stopped and got ${got} messages`);
    // whose two contacts have both a yes and a no is not written to: a merge keeps the no
    if (got > 1 || (decisions.every(({ stops }) => !stops) && got === 0)) blame(`${[...names].join()} got ${got} messages of one`);
  }
  return found;
}

async function contactViolations(fixture: CampaignFixture, company: TestCompany, delivered: readonly Post[]): Promise<Violation[]> {
  const found: Violation[] = [];
  const contacts = (await fixture.testApp.dump({ kind: 'contact', c: company.id })).map((item) => storedContact.parse(item));
  const identities = await fixture.items(company.id, 'contact-identity');
  const consents = await fixture.items(company.id, 'consent');
  const customers = customersOf(delivered);
  for (const known of customers) {
    const { customer, names } = known;
    const blame = (what: string): void => void found.push({ seed: customer.seed, what: `${customer.when}: ${what}` });
    const holders = [...names].map((name) => ownerOf(contacts, Number(identities.find(({ value }) => value === name)?.['contactId']))?.id);
    const [id] = holders;
    if (id === undefined || new Set(holders).size > 1) {
      blame(`${[...names].join()} are the contacts ${holders.join()}`);
      continue;
    }
    const contact = contacts.find((each) => each.id === id);
    if (hasStopped(known) && contact?.subscribed && !contact.marketingBlocked) blame(`the contact ${id} has no stop`);
    const merged = contacts.filter((each) => ownerOf(contacts, each.id)?.id === id).map((each) => each.id);
    const stored = consents.filter(({ contactId }) => merged.includes(Number(contactId)));
    const shown = await consentsOf(fixture, company, id);
    const missing = stored.filter(({ evidence }) => !shown.some((each) => each.evidence === evidence));
    if (missing.length > 0) blame(`${missing.length} of ${stored.length} consents are not shown`);
    // one that a later decision had overtaken when it came is none
    if (hasStopped(known) && !shown.some(({ subscribed }) => !subscribed)) blame('no stop is shown');
  }
  const live = contacts.filter(({ deletedAt }) => deletedAt === undefined).length;
  if (live !== customers.length) found.push({ seed: -1, what: `there are ${live} contacts of ${customers.length} customers` });
  return found;
}

const ownerOf = (contacts: readonly StoredContact[], id: number): StoredContact | undefined => {
  const contact = contacts.find((each) => each.id === id);
  return contact?.mergedInto === undefined ? contact : ownerOf(contacts, contact.mergedInto);
};

async function consentsOf({ testApp }: CampaignFixture, company: TestCompany, id: number) {
  const path = `/api/v1/contacts/${id}/consents`;
  const { body } = await testApp.call({ method: 'GET', path, query: { limit: '100' }, token: company.tokens.member });
  return z.object({ data: z.array(consentRecord) }).parse(body).data;
}
