import { afterAll, expect, it } from 'vitest';
import { changeStreamContext } from '../../functions/app.ts';
import { storedContact } from '../../functions/contacts/contract/stored.ts';
import type { Contact } from '../../functions/contacts/contract/stored.ts';
import { isLive } from '../../functions/contacts/domain/contact.ts';
import { idsOf } from '../../functions/contacts/domain/members.ts';
import { digestLine, digestOf } from '../../functions/contacts/domain/search.ts';
import { chunkOf } from '../../functions/contacts/domain/counts.ts';
import { targetedRoundsMs, targetedRounds } from '../support/crash-points.ts';
import { crashInjection } from '../support/crash-injection.ts';
import { checkpoints, type Condition, holdsBy } from '../support/mutation.ts';
import { tooFew } from '../support/oracle.ts';
import { type Random, seeded, shuffled } from '../support/random.ts';
import { replayHalfADayLater, injectFaults } from '../support/fault-injection.ts';
import { type Caller, contactOf, newCompany, startContacts } from './support.ts';
import type { Answer } from '../support/gateway-event.ts';
import { firstSeed, runSize } from '../support/run-size.ts';

/**
 * Seeded runs: contacts are created one by one and in bulk, updated, added to groups, deleted and restored, while processes crash before or
 * after any call to the table, the table throttles, and the change stream, with four shards read in any order, repeats batches at once, after
 * their success was lost, and much later. Afterwards every projected row must equal a recount, and every acknowledged contact must exist.
 */
const count = runSize(4, 40);
const testApp = await startContacts([changeStreamContext], { shards: 4 });
afterAll(() => testApp.stop());
const companies: Caller[] = await Promise.all(Array.from({ length: 4 }, () => testApp.as(newCompany())));

it(
  `in ${count} runs counts, members and search rows equal a recount, and no acknowledged contact is lost`,
  async () => {
    for (let seed = firstSeed; seed < firstSeed + count; seed++) await run(seed);
    await testApp.drain({ disorder: { seed: 1, duplicate: 0.5, crash: 0.2, replay: 0.3 } });
    await replayHalfADayLater(testApp, count);
    for (const me of companies) expect([...(await recount(me.companyId)), ...(await lostContacts(me.companyId))]).toEqual([]);
    expect(tooFew('operations were acknowledged', acknowledged, operations, 0.2)).toEqual([]);
    for (const round of targetedRounds()) {
      // some records are created once per company
      const fresh = [await testApp.as(newCompany())];
      for (let seed = 0; seed < 10; seed++) await run(10_000 + round * 10 + seed, fresh);
      await testApp.drain();
      for (const me of fresh) expect([...(await recount(me.companyId)), ...(await lostContacts(me.companyId))]).toEqual([]);
    }
  },
  120_000 + count * 60_000 + targetedRoundsMs,
);

const holds = (name: string, condition: Condition, expected: RegExp): void => {
  let company: Caller | undefined;
  holdsBy(name, condition, expected, 60, async (round) => {
    const me = (company ??= await testApp.as(newCompany()));
    await run(100_000 + round, [me]);
    await testApp.drain({ disorder: { seed: round, duplicate: 0.5, crash: 0.2, replay: 0.3 } });
    return recount(me.companyId);
  });
};

holds('the checkpoints of projected changes', checkpoints, /recounted/);
holds(
  'the claim of the phone of a new contact',
  {
    in: 'functions/contacts/store/contact.ts',
    replace: 'identityEntity.putting(identity, any(missing(), isFormer(time)))',
    by: 'identityEntity.putting(identity)',
  },
  /phones/,
);
holds(
  'the claim of the phone of a contact that takes another',
  {
    in: 'functions/contacts/store/contact.ts',
    replace: 'identityEntity.putting(identity, isFree)',
    by: 'identityEntity.putting(identity)',
  },
  /phones/,
);

const crashes = crashInjection();
async function run(seed: number, among = companies): Promise<void> {
  await using faults = await injectFaults(testApp, seed);
  using _life = crashes.over(testApp);
  const random = seeded(seed);
  const me = among[seed % among.length];
  if (me === undefined) throw new Error('There is no company.');
  const crashStep = (): number | undefined => (random() < 0.35 ? 1 + Math.floor(random() * 12) : undefined);
  for (let op = 0; op < 6; op++) {
    await crashes.runWithCrash(crashStep(), async () => {
      operations++;
      const answers = [await act(me, random)].flat();
      if (answers.some(({ status }) => status === 200)) acknowledged++;
    });
    await crashes.runWithCrash(crashStep(), () => faults.between());
    if (random() < 0.3)
      await crashes.runWithCrash(crashStep(), () =>
        testApp.drain({ disorder: { seed: seed * 10 + op, duplicate: 0.4, crash: 0.2, replay: 0.3 }, retry: false }),
      );
  }
}

async function act(me: Caller, random: Random): Promise<Answer | Answer[]> {
  const phone = (): string => `+4915${20_000_000 + Math.floor(random() * 60)}`;
  const some = <T>(of: readonly T[]): T[] => shuffled(of, random).slice(0, Math.floor(random() * 3));
  const kind = random();
  if (kind < 0.3) return post(me, { phone: phone(), name: `Näme ${Math.floor(random() * 9)}`, groups: some(['a', 'b', 'c']) });
  if (kind < 0.5) {
    const contacts = Array.from({ length: 1 + Math.floor(random() * 30) }, () => ({
      phone: phone(),
      name: `Bulk ${Math.floor(random() * 3)}`,
    }));
    return testApp.call({
      method: 'POST',
      path: '/api/v1/contacts/bulk-sync',
      token: me.token,
      body: { contacts, ...(random() < 0.5 ? { group_id: 1 } : {}) },
    });
  }
  if (kind < 0.6)
    return testApp.call({ method: 'POST', path: '/api/v1/tags', token: me.token, body: { name: `tag ${Math.floor(random() * 3)}` } });
  const id = 1 + Math.floor(random() * 80);
  if (kind < 0.9) disturb(me, id);
  if (kind < 0.7) return me.put(id, { phone: phone(), name: 'Put', groups: some(['a', 'b', 'c']), tags: some([1, 2]) });
  if (kind < 0.9) return Promise.all([me.delete(id), post(me, { phone: phone(), tags: some([1]) })]);
  return Promise.all([1, 2, 3].map((i) => post(me, { phone: '+4915200000001', name: `at once ${i}`, groups: some(['a']) })));
}

/** Contacts whose creation or update was acknowledged, by company and id, with their phone. */
const ledger = new Map<number, Map<number, string>>();
/** Contacts that a PUT or DELETE named, acknowledged or not: their phone and deletion are open, their existence is not. */
const disturbed = new Map<number, Set<number>>();
let [operations, acknowledged] = [0, 0];

async function post(me: Caller, body: unknown): Promise<Answer> {
  const answer = await me.post(body);
  if (answer.status !== 200) return answer;
  const { id, phone } = contactOf(answer);
  ledger.set(me.companyId, (ledger.get(me.companyId) ?? new Map<number, string>()).set(id, phone));
  return answer;
}

function disturb({ companyId }: Caller, id: number): void {
  disturbed.set(companyId, (disturbed.get(companyId) ?? new Set<number>()).add(id));
}

/** Acknowledged contacts that are not in the table, or not live with their phone although no call could have changed that. */
async function lostContacts(companyId: number): Promise<string[]> {
  const mine = (await testApp.dump()).filter((item) => item['kind'] === 'contact' && item['c'] === companyId);
  const stored = new Map(mine.map((item) => storedContact.parse(item)).map((contact) => [contact.id, contact]));
  return [...(ledger.get(companyId) ?? [])].flatMap(([id, phone]) => {
    const contact = stored.get(id);
    if (contact === undefined) return [`contact ${id} was acknowledged and is not there`];
    if (disturbed.get(companyId)?.has(id) || (isLive(contact) && contact.phone === phone)) return [];
    return [`contact ${id} was acknowledged with ${phone} and has ${contact.phone}${isLive(contact) ? '' : ', deleted'}`];
  });
}

/** Differences between the projected rows and the stored contacts. */
async function recount(companyId: number): Promise<string[]> {
  const mine = (await testApp.dump()).filter((item) => String(item['pk']).startsWith(`C#${companyId}#`));
  const contacts = mine.filter((item) => item['kind'] === 'contact').map((item) => storedContact.parse(item));
  const live = contacts.filter(isLive);
  const wrong: string[] = [];
  const compare = (what: string, projected: unknown, recounted: unknown): void => {
    if (JSON.stringify(projected) !== JSON.stringify(recounted))
      wrong.push(`${what}: ${JSON.stringify(projected)}, recounted ${JSON.stringify(recounted)}`);
  };
  const of = (kind: string) => mine.filter((item) => item['kind'] === kind);
  compare('total', of('counter').find((item) => item['of'] === 'contact')?.['total'] ?? 0, live.length);
  compare(
    'counts',
    of('contact-counts').flatMap((item) => item['counts'] as number[])[0] ?? 0,
    live.filter(({ id }) => chunkOf(id) === 0).length,
  );
  for (const group of of('group')) {
    const members = live.filter(({ groupIds }) => groupIds.includes(Number(group['id'])));
    compare(`group ${String(group['id'])}`, group['contactsCount'], members.length);
    compare(`members of group ${String(group['id'])}`, membersIn('group', Number(group['id'])), descending(members));
  }
  for (const tag of of('tag'))
    compare(
      `members of tag ${String(tag['id'])}`,
      membersIn('tag', Number(tag['id'])),
      descending(live.filter(({ tagIds }) => tagIds.includes(Number(tag['id'])))),
    );
  const lines = of('contact-digest').flatMap((item) =>
    String(item['lines'])
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => `${String(item['d'])} ${line}`),
  );
  compare('digests', lines.sort(), live.map((contact) => `${digestOf(contact.id)} ${digestLine(contact)}`).sort());
  compare('phones', new Set(live.map(({ phone }) => phone)).size, live.length);
  return wrong;

  function membersIn(kind: string, id: number): number[] {
    const rows = of('contact-members').filter((item) => item['of'] === kind && item['ofId'] === id);
    return rows.flatMap((item) => idsOf(Number(item['span']), item['bits'] as Uint8Array)).sort((a, b) => b - a);
  }
}

const descending = (contacts: readonly Contact[]): number[] => contacts.map(({ id }) => id).sort((a, b) => b - a);
