import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeStreamContext } from '../../functions/app.ts';
import { searchBucket } from '../../functions/contacts/contract/search-snapshot.ts';
import { type Contact, contactEntityName, storedContact } from '../../functions/contacts/contract/stored.ts';
import { exclusionReasonOf } from '../../functions/campaigns/service/eligibility.ts';
import { previewAudience } from '../../functions/campaigns/service/preview-audience.ts';
import { isLive } from '../../functions/contacts/domain/contact.ts';
import { searchableText } from '../../functions/contacts/domain/search.ts';
import {
  contactsInPart,
  type EligibleContact,
  findInPart,
  linesOf,
  noLines,
  packLines,
  unpackPart,
  withChange,
} from '../../functions/contacts/domain/search-snapshot.ts';
import { listAudience } from '../../functions/contacts/service/audience.ts';
import { updateLiveContact } from '../../functions/contacts/service/upsert-by-identity.ts';
import { snapshotLinesOf, updateSearchSnapshot } from '../../functions/contacts/service/search-snapshots.ts';
import { claimSearchSnapshot, getSearchSnapshot, putSearchLeftovers } from '../../functions/contacts/store/search-snapshot.ts';
import { writeObject } from '../../shared/objects/bucket.ts';
import { isProblem } from '../../shared/contract/problems.ts';
import { variableOf } from '../../shared/contract/resource.ts';
import { dayMs } from '../../shared/runtime/clock.ts';
import { nextIds } from '../../shared/table/counter.ts';
import { attack } from '../support/attack.ts';
import { seeded } from '../support/random.ts';
import { runSize } from '../support/run-size.ts';
import { type Caller, contactOf, type ContactsTestApp, newCompany, pageOf, startContacts } from './support.ts';

/** Search of a company large enough for a search snapshot: its ids begin shortly before the second part of 65,536 ids. */
let testApp: ContactsTestApp;
let s3: S3Client;
let me: Caller;
beforeAll(async () => {
  testApp = await startContacts([changeStreamContext]);
  s3 = new S3Client({ forcePathStyle: true });
});
afterAll(async () => {
  s3.destroy();
  await testApp.stop();
});
beforeEach(async () => {
  me = await testApp.as(newCompany());
  await nextIds(me.companyId, contactEntityName, 65_530);
});

const minutes = (count: number): void => testApp.clock.advance(count * 60_000);
const search = async (typed: string) => pageOf(await me.get(`?limit=100&search=${encodeURIComponent(typed)}`));
const idsOf = async (typed: string): Promise<number[]> => (await search(typed)).data.map(({ id }) => id);
const add = async (body: unknown): Promise<number> => contactOf(await me.post(body)).id;

const contactsInTable = async (): Promise<Contact[]> =>
  (await testApp.dump())
    .filter((item) => item['kind'] === 'contact' && item['c'] === me.companyId)
    .map((item) => storedContact.parse(item))
    .filter(isLive);

/** What A13 says: any substring of the name, without case and accents, or of the phone's digits. */
const expected = async (typed: string): Promise<number[]> => {
  const isPhone = /^[\d\s()+.\-/]+$/.test(typed);
  return (await contactsInTable())
    .filter(
      ({ name = '', phone }) =>
        searchableText(name).includes(searchableText(typed)) || (isPhone && phone.includes(typed.replace(/\D/g, ''))),
    )
    .map(({ id }) => id)
    .sort((a, b) => b - a);
};

const objectsOfCompany = async (): Promise<{ key: string; text: string }[]> => {
  const Bucket = process.env[variableOf(searchBucket)] ?? '';
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: `${me.companyId}/` }));
  return Promise.all(
    Contents.map(async ({ Key: key = '' }) => {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: key }));
      const { phones, names } = linesOf(unpackPart(Buffer.from((await Body?.transformToByteArray()) ?? [])));
      return { key, text: `${phones.join(' ')} ${names.join(' ')}` };
    }),
  );
};
const namedObjects = async (): Promise<string[]> => {
  const snapshot = await getSearchSnapshot(me.companyId, { consistent: true });
  return (snapshot?.parts ?? []).flatMap((generation, part) => (generation === 0 ? [] : [`${me.companyId}/${part}/${generation}`]));
};

describe('a part of a snapshot', () => {
  it('finds each line that contains the text once, first and last ones too, and none across lines', () => {
    const lines = noLines();
    for (const [id, name] of [
      [65_536, 'ana ana'],
      [65_540, 'joana'],
      [65_541, 'a'],
      [131_071, 'ana'],
    ] as const)
      withChange(lines, id, { phone: String(id), name, facts: 's-' });
    const find = (text: string, digits = '') => {
      const matching = new Uint8Array(65_536);
      findInPart(unpackPart(packLines(lines)), { text, digits }, matching);
      return [...matching.keys()].filter((place) => matching[place] === 1);
    };
    expect(find('ana')).toEqual([0, 4, 65_535]);
    expect(find('naa')).toEqual([]);
    expect(find('', '655')).toEqual([0, 4, 5]);
    expect(find('x')).toEqual([]);
  });

  it('finds the phones of merged contacts, and gives an audience the own phone alone', () => {
    const lines = noLines();
    withChange(lines, 65_536, { phone: '4915120000001,4917130000002', name: 'ana', facts: 's-' });
    withChange(lines, 65_537, { phone: ',4917130000003', name: 'user id alone', facts: 's-' });
    const part = unpackPart(packLines(lines));
    const matching = new Uint8Array(65_536);
    findInPart(part, { text: '', digits: '4917130000002' }, matching);
    expect([...matching.keys()].filter((place) => matching[place] === 1)).toEqual([0]);
    expect(contactsInPart(1, part).map(({ id, phone }) => [id, phone])).toEqual([
      [65_537, ''],
      [65_536, '4915120000001'],
    ]);
  });
});

describe('search by snapshot', () => {
  it('finds names and phones as without one, in every script, and what changed since at once', async () => {
    const [zoe, søren, priya] = [
      await add({ phone: '+4915120000001', name: 'Zoë Ångström' }),
      await add({ phone: '+4915120000002', name: 'Søren  Straße' }),
      await add({ phone: '+919876500003', name: 'प्रिया शर्मा' }),
    ];
    for (let i = 4; i < 12; i++) await add({ phone: `+49151200000${String(i).padStart(2, '0')}`, name: 'Ana' });
    await testApp.drain();
    minutes(3);
    await updateSearchSnapshot(me.companyId);
    expect(await namedObjects()).toHaveLength(2);
    expect(await idsOf('angstrom')).toEqual([zoe]);
    expect(await idsOf('SOREN strasse')).toEqual([søren]);
    expect(await idsOf('शर्मा')).toEqual([priya]);
    expect(await idsOf('+49 151 2000-0001')).toEqual([zoe]);
    expect(await idsOf('500003')).toEqual([priya]);
    expect((await search('ana')).meta.total).toBe(8);
    await me.put(zoe, { phone: '+4915120000001', name: 'Renamed' });
    await me.delete(søren);
    const late = await add({ phone: '+4915120000099', name: 'Zoë again' });
    expect(await idsOf('zoe')).toEqual([late]);
    expect(await idsOf('renamed')).toEqual([zoe]);
    expect(await idsOf('soren')).toEqual([]);
  });

  it('costs at most 20 RRU beside what changed since', async () => {
    for (let i = 0; i < 10; i++) await add({ phone: `+491512000000${i}`, name: 'Ana' });
    await testApp.drain();
    minutes(3);
    await updateSearchSnapshot(me.companyId);
    minutes(3);
    await updateSearchSnapshot(me.companyId);
    const cost = await testApp.meterRounds(() => idsOf('ana'));
    expect(cost.rru).toBeLessThanOrEqual(20);
    expect(cost.rounds).toBeLessThanOrEqual(5);
  });

  const runs = runSize(1, 30);
  let audiences = 0;
  const recipientOf = (contact: EligibleContact) => [
    contact.id,
    contact.phone,
    exclusionReasonOf(contact, { category: 'MARKETING' }, testApp.clock.now()),
  ];

  it(`equals the true records, those of an audience too, in ${runs} seeded runs of changes, updates in small steps, and lost objects`, async () => {
    for (let seed = 1; seed <= runs; seed++) await run(seed);
    expect(audiences).toBeGreaterThan(runs);
  });

  async function run(seed: number): Promise<void> {
    const random = seeded(seed);
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
    const names = ['Ana', 'Änne', 'Joana 151', 'Straße', undefined];
    for (let step = 0; step < 12; step++) {
      const kind = random();
      const live = await contactsInTable();
      const phone = `+4915120000${100 + Math.floor(random() * 40)}`;
      if (kind < 0.5 || live.length === 0)
        await testApp.call({
          method: 'POST',
          path: '/api/v1/contacts/bulk-sync',
          token: me.token,
          body: { contacts: Array.from({ length: 3 }, (_, i) => ({ phone: phone.slice(0, -1) + String(i), name: pick(names) })) },
        });
      else if (kind < 0.65) await me.put(pick(live).id, { phone, name: pick(names) });
      else if (kind < 0.75) await me.delete(pick(live).id);
      else {
        const seen = pick(live);
        const facts = {
          subscribed: random() < 0.5,
          marketingBlocked: random() < 0.3,
          notOnWhatsappAt: testApp.clock.now() - Math.floor(random() * 9) * dayMs,
        };
        await updateLiveContact(me.companyId, seen.id, seen, (contact) => ({ ...contact, ...facts }));
      }
      if (random() < 0.5) testApp.clock.advance(Math.floor(random() * 120_000));
      if (random() < 0.2) await loseAnObject();
      if (random() < 0.6) await updateSearchSnapshot(me.companyId, 1 + Math.floor(random() * 6));
      if (random() < 0.5) await testApp.drain();
      if (random() < 0.7) {
        await testApp.drain();
        for (const typed of ['ana', 'ann', '151', '20000', 'strasse'])
          expect(await idsOf(typed), `seed ${seed}`).toEqual(await expected(typed));
        const audience = await listAudience(me.companyId, { of: 'all' });
        if (audience) {
          audiences++;
          expect(audience.map(recipientOf), `seed ${seed}`).toEqual((await contactsInTable()).sort((a, b) => b.id - a.id).map(recipientOf));
        }
      }
    }
  }

  async function loseAnObject(): Promise<void> {
    const [key] = await namedObjects();
    if (key) await s3.send(new DeleteObjectCommand({ Bucket: process.env[variableOf(searchBucket)] ?? '', Key: key }));
  }

  it('an audience is previewed by it as by a walk, of a group too, without those whom it does not reach', async () => {
    const bodies = Array.from({ length: 8 }, (_, i) => ({
      phone: `+491512000000${i}`,
      subscribed: i % 3 !== 0,
      ...(i % 2 ? { groups: ['odd'] } : {}),
    }));
    for (const body of bodies) await add(body);
    await testApp.drain();
    const preview = async (of: object) => {
      const { cost, answer } = await previewed(of);
      expect(answer).toMatchObject({ is_partial: false, next_cursor: null });
      return { cost, counts: [answer.total, answer.eligible_contacts, answer.excluded.unsubscribed] };
    };
    const walked = [await preview({ audience_type: 'all' }), await preview({ audience_type: 'group', group_id: 1 })];
    minutes(3);
    await updateSearchSnapshot(me.companyId);
    const counted = [await preview({ audience_type: 'all' }), await preview({ audience_type: 'group', group_id: 1 })];
    expect(counted.map(({ counts }) => counts)).toEqual(walked.map(({ counts }) => counts));
    expect(counted.map(({ counts }) => counts)).toEqual([
      [8, 5, 3],
      [4, 3, 1],
    ]);
    for (const { cost } of counted) expect(cost.rru).toBeLessThanOrEqual(20);
  });

  async function previewed(of: object) {
    let answer: Awaited<ReturnType<typeof previewAudience>> | undefined;
    const cost = await testApp.meter(async () => (answer = await previewAudience(me.companyId, of as never)));
    if (answer === undefined || isProblem(answer)) throw new Error(JSON.stringify(answer));
    return { cost, answer };
  }

  it('requests its first snapshot by itself, and a newer one when many contacts changed', async () => {
    await add({ phone: '+4915120000001', name: 'Ana' });
    minutes(3);
    expect(await idsOf('ana')).toEqual([]);
    await testApp.drain();
    expect(await idsOf('ana')).toHaveLength(1);
    const first = await getSearchSnapshot(me.companyId, { consistent: true });
    expect(first?.parts.filter((generation) => generation !== 0)).toHaveLength(1);
    await testApp.call({
      method: 'POST',
      path: '/api/v1/contacts/bulk-sync',
      token: me.token,
      body: { contacts: Array.from({ length: 600 }, (_, i) => ({ phone: `+49151300${String(10_000 + i)}`, name: 'Bulk' })) },
    });
    minutes(3);
    expect((await search('bulk')).meta.total).toBe(600);
    await testApp.drain();
    expect((await getSearchSnapshot(me.companyId, { consistent: true }))?.asOf).toBeGreaterThan(first?.asOf ?? Infinity);
    expect((await search('bulk')).meta.total).toBe(600);
  });

  it('is not used when the clock was set back behind it', async () => {
    await add({ phone: '+4915120000001', name: 'Ana' });
    minutes(60);
    await updateSearchSnapshot(me.companyId);
    testApp.clock.advance(-50 * 60_000);
    const later = await add({ phone: '+4915120000002', name: 'Ana' });
    await testApp.drain();
    expect(await idsOf('ana')).toContain(later);
    minutes(50);
  });
});

attack(
  'an erasure leaves no line of the contact in any object of the search, whichever workers had the snapshot and crashed',
  [
    {
      in: 'functions/contacts/service/search-snapshots.ts',
      replace: 'await deleteUnnamed(companyId, claimed.leftovers, claimed.parts);',
      by: '',
    },
  ],
  async () => {
    const erased = await add({ phone: '+4915120000001', name: 'Wilhelmina Unique' });
    await add({ phone: '+4915120000002', name: 'Stays' });
    await testApp.drain();
    minutes(3);
    await updateSearchSnapshot(me.companyId);
    // two workers, each of which crashed after it wrote an object of its own
    for (let worker = 0; worker < 2; worker++) {
      minutes(10);
      const claimed = await claimSearchSnapshot(me.companyId, testApp.clock.now(), 60_000);
      if (claimed === 'busy') throw new Error('The snapshot has a worker.');
      const { parts, generation } = claimed;
      await putSearchLeftovers(claimed, [...claimed.leftovers, { part: 0, generation: parts[0] ?? 0 }, { part: 0, generation }]);
      const lines = noLines();
      withChange(lines, erased, { phone: '4915120000001', name: 'wilhelmina unique', facts: 's-' });
      await writeObject(searchBucket, `${me.companyId}/0/${generation}`, packLines(lines), 'application/zstd');
    }
    const subject = { companyId: me.companyId, contactId: erased };
    await expect(Promise.all((await snapshotLinesOf(subject)).map((remove) => remove()))).rejects.toThrow('being brought up to date');
    minutes(10);
    for (const remove of await snapshotLinesOf(subject)) await remove();
    const objects = await objectsOfCompany();
    expect(objects.map(({ key }) => key)).toEqual(await namedObjects());
    expect(objects.filter(({ text }) => /wilhelmina|4915120000001/.test(text))).toEqual([]);
    expect(objects.some(({ text }) => text.includes('stays'))).toBe(true);
    expect(await snapshotLinesOf(subject)).toEqual([]);
  },
);
