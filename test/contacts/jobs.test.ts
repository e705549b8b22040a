import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type ContactRecord, contactRecord } from '../../functions/contacts/contract/contact.ts';
import { importsQueue } from '../../functions/contacts/contract/import.ts';
import { contactJob, type ContactJobRecord, maxOpenJobs } from '../../functions/contacts/contract/job.ts';
import { changedPerSlice } from '../../functions/contacts/service/jobs/run-job-slice.ts';
import { newCompany, type TestCompany } from '../support/company.ts';
import { isFullSize, runSize } from '../support/run-size.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** Jobs that change or export many contacts (docs/decisions/contact-jobs.md). */
let testApp: TestApp;
let company: TestCompany;
beforeAll(async () => {
  testApp = await startTestApp();
});
beforeEach(async () => {
  company = await newCompany({ roles: ['viewer', 'member', 'owner'] });
});
afterAll(() => testApp.stop());

const call = async (method: string, path: string, body?: unknown, token = company.tokens.member) =>
  testApp.call({ method, path: `/api/v1${path}`, token, ...(body === undefined ? {} : { body }) });
const jobIn = (answer: { status: number; body?: unknown; raw: string }): ContactJobRecord => {
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.raw}`);
  return z.object({ data: contactJob.strict() }).parse(answer.body).data;
};
const start = async (body: unknown): Promise<ContactJobRecord> => jobIn(await call('POST', '/contact-jobs', body));
const seen = async (id: number): Promise<ContactJobRecord> => jobIn(await call('GET', `/contact-jobs/${id}`));
const finished = async (body: unknown): Promise<ContactJobRecord> => {
  const { id } = await start(body);
  await testApp.drain();
  return seen(id);
};
const phone = (n: number): string => `49151${String(n).padStart(8, '0')}`;
/** Contacts 1 to `count`, in no group. */
const addContacts = async (count: number): Promise<void> => {
  for (let from = 1; from <= count; from += 1_000) {
    const contacts = Array.from({ length: Math.min(1_000, count - from + 1) }, (_, n) => ({
      phone: phone(from + n),
      name: `P${from + n}`,
    }));
    expect((await call('POST', '/contacts/bulk-sync', { contacts })).status).toBe(200);
  }
  await testApp.drain();
};
const contacts = async (query = ''): Promise<ContactRecord[]> =>
  z.object({ data: z.array(contactRecord) }).parse((await call('GET', `/contacts?limit=100${query}`)).body).data;
const newTag = async (name: string): Promise<number> =>
  z.object({ data: z.object({ id: z.int() }) }).parse((await call('POST', '/tags', { name })).body).data.id;
const fileOf = async (job: ContactJobRecord): Promise<string> => {
  expect(job.files).toHaveLength(1);
  return (await fetch(job.files[0]?.url ?? '')).text();
};
const stored = async () =>
  (await testApp.dump()).filter(({ kind, c }) => kind === 'contact' && c === company.id).map(({ i, r, g, t }) => ({ i, r, g, t }));

describe('a change of many contacts', () => {
  test('adds those that match a filter to groups and tags and removes them from others, and touches nobody else', async () => {
    await addContacts(12);
    const [gold, old] = [await newTag('gold'), await newTag('old')];
    await finished({ all: true, change: { add_tags: [old] } });
    const rules = [{ field: 'name', op: 'in', value: ['P1', 'P2', 'P3'] }];
    const done = await finished({
      filter: { match: 'all', rules },
      change: { add_groups: ['Spring'], add_tags: [gold], remove_tags: [old] },
    });
    expect(done).toMatchObject({ kind: 'change', status: 'completed', files: [] });
    expect(done.progress).toEqual({ total: 12, processed: 12, matched: 3, changed: 3, unchanged: 0, missing: 0 });
    const now = await contacts();
    const changed = now.filter(({ groups }) => groups.length > 0);
    expect(changed.map(({ name }) => name)).toEqual(['P3', 'P2', 'P1']);
    for (const { groups, tags } of changed) expect([groups[0]?.name, tags.map(({ id }) => id)]).toEqual(['Spring', [gold]]);
    for (const { id, tags } of now.filter((each) => !changed.includes(each))) expect([id, tags.map((tag) => tag.id)]).toEqual([id, [old]]);
    expect(await contacts(`&group_id=${changed[0]?.groups[0]?.id}`)).toHaveLength(3);
    const again = await finished({
      filter: { match: 'all', rules },
      change: { add_groups: ['spring'], add_tags: [gold], remove_tags: [old] },
    });
    expect(again.progress).toMatchObject({ matched: 3, changed: 0, unchanged: 3 });
  });

  test('switches the bot of those that are selected on and off, and leaves those that have it so', async () => {
    await addContacts(3);
    await call('PATCH', '/contacts/2', { enabled_ai_bot: true });
    const on = await finished({ contact_ids: [1, 2], change: { enabled_ai_bot: true } });
    expect(on.progress).toMatchObject({ matched: 2, changed: 1, unchanged: 1 });
    const flags = async () => (await contacts()).map(({ id, enabled_ai_bot }) => [id, enabled_ai_bot]);
    expect(await flags()).toEqual([
      [3, false],
      [2, true],
      [1, true],
    ]);
    const rules = [{ field: 'enabled_ai_bot', op: 'eq', value: true }];
    const off = await finished({ filter: { match: 'all', rules }, change: { enabled_ai_bot: 0, add_groups: ['Quiet'] } });
    expect(off.progress).toMatchObject({ matched: 2, changed: 2 });
    expect((await flags()).map(([, flag]) => flag)).toEqual([false, false, false]);
    expect((await contacts()).map(({ groups }) => groups.length)).toEqual([0, 1, 1]);
    expect((await call('POST', '/contact-jobs', { all: true, change: { enabled_ai_bot: null } })).status).toBe(422);
  });

  test('by ids leaves out those that are gone, and looks at each once', async () => {
    await addContacts(5);
    expect((await call('DELETE', '/contacts/4')).status).toBe(200);
    const done = await finished({ contact_ids: [2, 4, 5, 2, 999, Number.MAX_SAFE_INTEGER], change: { add_groups: ['Few'] } });
    expect(done.progress).toEqual({ total: 5, processed: 5, matched: 2, changed: 2, unchanged: 0, missing: 0 });
    expect((await contacts()).filter(({ groups }) => groups.length > 0).map(({ id }) => id)).toEqual([5, 2]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['no selection, which never means all', { change: { add_tags: [1] } }, 'filter'],
    ['two selections', { all: true, contact_ids: [1], change: { add_tags: [1] } }, 'filter'],
    ['neither change nor export', { all: true }, 'change'],
    ['both', { all: true, change: { add_groups: ['a'] }, export: 'csv' }, 'change'],
    ['a change of nothing', { all: true, change: {} }, 'change'],
    ['a tag that is not there', { all: true, change: { add_tags: [77] } }, 'change.add_tags'],
    ['a segment that is not there', { segment_id: 77, change: { add_groups: ['a'] } }, 'segment_id'],
    [
      'a rule of an unknown field',
      { filter: { match: 'all', rules: [{ field: 'colour', op: 'eq', value: 1 }] }, export: 'csv' },
      'filter.rules.0',
    ],
  ])('with %s is 422 and starts nothing', async (_, body, field) => {
    const answer = await call('POST', '/contact-jobs', body);
    expect([answer.status, Object.keys((answer.body as { errors?: object }).errors ?? {})]).toEqual([422, [field]]);
    expect(await contacts()).toEqual([]);
    expect((await call('GET', '/contact-jobs')).body).toMatchObject({ data: [] });
  });

  test('with a misspelt field is 422, and a viewer may start none', async () => {
    const misspelt = await call('POST', '/contact-jobs', { all: true, change: { add_groups: ['a'], add_tag: [1] } });
    expect([misspelt.status, misspelt.body]).toMatchObject([422, { code: 'unknown_field' }]);
    expect((await call('POST', '/contact-jobs', { all: true, export: 'csv' }, company.tokens.viewer)).status).toBe(403);
  });

  test('that is cancelled stops, and what it changed stays', async () => {
    await addContacts(3);
    const { id } = await start({ all: true, change: { add_groups: ['Late'] } });
    expect(jobIn(await call('DELETE', `/contact-jobs/${id}`))).toMatchObject({ status: 'cancelled' });
    await testApp.drain();
    expect(await seen(id)).toMatchObject({ status: 'cancelled', progress: { processed: 0, changed: 0 } });
    expect((await contacts()).every(({ groups }) => groups.length === 0)).toBe(true);
    const stranger = await newCompany();
    expect((await call('GET', `/contact-jobs/${id}`, undefined, stranger.tokens.owner)).status).toBe(404);
    expect((await call('DELETE', `/contact-jobs/${id}`, undefined, stranger.tokens.owner)).status).toBe(404);
  });

  test(`waits for its turn: at most ${maxOpenJobs} jobs of a company are open`, async () => {
    for (let nth = 0; nth < maxOpenJobs; nth++) await start({ all: true, export: 'csv' });
    const refused = await call('POST', '/contact-jobs', { all: true, export: 'csv' });
    expect([refused.status, refused.body]).toMatchObject([403, { code: 'plan_limit_reached' }]);
    await testApp.drain();
    await start({ all: true, export: 'csv' });
  });

  test.each(isFullSize() ? (['groups', 'tags', 'both'] as const) : (['both'] as const))(
    'of %s costs at most 5.2 WRU a changed contact, with all that follows from it',
    async (of) => {
      await addContacts(300);
      const change = async (name: string) => ({
        ...(of === 'tags' ? {} : { add_groups: [name] }),
        ...(of === 'groups' ? {} : { add_tags: [await newTag(name)] }),
      });
      await finished({ all: true, change: await change('Before') });
      const next = await change('Everybody');
      const cost = await testApp.meter(async () => {
        const done = await finished({ all: true, change: next });
        expect(done.progress).toMatchObject({ processed: 300, changed: 300 });
      });
      expect(cost.wru / 300).toBeGreaterThan(3);
      expect(cost.wru / 300).toBeLessThanOrEqual(5.2);
    },
  );
});

test('updateContact adds and removes tags and groups of one contact, and leaves its others', async () => {
  await addContacts(1);
  const [gold, old] = [await newTag('gold'), await newTag('old')];
  await call('PATCH', '/contacts/1', { add_tags: [gold, old], add_groups: ['A', 'B'] });
  expect((await call('PATCH', '/contacts/1', { remove_tags: [old], remove_groups: ['A'] })).status).toBe(200);
  const [contact] = await contacts();
  expect([contact?.tags.map(({ id }) => id), contact?.groups.map(({ name }) => name), contact?.name]).toEqual([[gold], ['B'], 'P1']);
});

describe('slices of a change', () => {
  const count = changedPerSlice + 60;

  test('follow one another until all are changed, once each', async () => {
    await addContacts(count);
    const before = new Map((await stored()).map(({ i, r }) => [i, Number(r)]));
    expect((await finished({ all: true, change: { add_groups: ['All'] } })).progress).toMatchObject({ processed: count, changed: count });
    const after = await stored();
    expect(after.filter(({ g }) => Array.isArray(g) && g.length === 1)).toHaveLength(count);
    expect(after.every(({ i, r }) => Number(r) === Number(before.get(i)) + 1)).toBe(true);
  });

  test('that fail at any write are repeated with the same counts, also where the change takes contacts out of the filter', async () => {
    const apart = isFullSize() ? 1 : 10;
    let broken = true;
    for (let at = 1; broken; at += apart) {
      company = await newCompany({ roles: ['member', 'owner'] });
      await addContacts(20);
      const tag = await newTag('done');
      const { id } = await start({
        filter: { match: 'all', rules: [{ field: 'tag_id', op: 'neq', value: tag }] },
        change: { add_tags: [tag] },
      });
      let writes = 0;
      let broke = 0;
      const hook = testApp.onTable(({ command, when }) => {
        if (!/Put|Update|Transact|Statement/.test(command) || when !== 'after' || broke > 0 || ++writes < at) return;
        broke++;
        throw tableError('InternalServerError');
      });
      await testApp.drain();
      hook[Symbol.dispose]();
      broken = broke > 0;
      expect((await seen(id)).progress, `broken at ${at}`).toEqual({
        total: 20,
        processed: 20,
        matched: 20,
        changed: 20,
        unchanged: 0,
        missing: 0,
      });
    }
  });

  test('under deliveries that are repeated, lost and shuffled end in the same counts', async () => {
    for (const seed of Array.from({ length: runSize(3, 20) }, (_, n) => n + 1)) {
      company = await newCompany({ roles: ['member', 'owner'] });
      await addContacts(25);
      const { id } = await start({ all: true, change: { add_groups: ['All'] } });
      await testApp.drain({ disorder: { seed, duplicate: 0.3, crash: 0.3, reorder: true } });
      await testApp.drain();
      expect(await seen(id)).toMatchObject({ status: 'completed', progress: { processed: 25, changed: 25, unchanged: 0 } });
      expect((await contacts()).every(({ groups }) => groups.length === 1)).toBe(true);
      expect(testApp.deadLettersOf(importsQueue)).toEqual([]);
    }
  });
});

describe('an export', () => {
  test('writes what a filter shows as CSV, which an import reads, with cells that a spreadsheet would execute made inert', async () => {
    await addContacts(3);
    await call('POST', '/contacts', { phone: phone(4), name: '=1+1', groups: ['A, B', 'C'], fields: { plan: 'gold' } });
    const file = await fileOf(
      await finished({ filter: { match: 'all', rules: [{ field: 'name', op: 'in', value: ['P2', '=1+1'] }] }, export: 'csv' }),
    );
    const [header, first, second, ...rest] = file.split('\r\n');
    expect(header).toContain('id,phone,name,email');
    expect(header).toContain('custom.plan');
    expect(first).toContain(`4,${phone(4)},'=1+1`);
    expect(second).toContain(`2,${phone(2)},P2`);
    expect(rest).toEqual(['']);
  });

  test('writes JSON with every contact once, newest first', async () => {
    await addContacts(1_100);
    const job = await finished({ all: true, export: 'json' });
    expect(job.progress).toMatchObject({ processed: 1_100, matched: 1_100 });
    const rows = z.array(contactRecord).parse(JSON.parse(await fileOf(job)));
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 1_100 }, (_, n) => 1_100 - n));
    expect(job.files[0]?.bytes).toBeGreaterThan(100_000);
  });

  test('of nothing is a file with its header alone', async () => {
    expect((await fileOf(await finished({ contact_ids: [1], export: 'csv' }))).split('\r\n')).toHaveLength(2);
    expect(JSON.parse(await fileOf(await finished({ contact_ids: [1], export: 'json' })))).toEqual([]);
  });

  test('of a contact that is erased is deleted', async () => {
    await addContacts(2);
    const job = await finished({ all: true, export: 'csv' });
    expect((await call('POST', '/contacts/1/erase', {}, company.tokens.owner)).status).toBeLessThan(300);
    await testApp.drain();
    expect((await seen(job.id)).files).toEqual([]);
    expect((await fetch(job.files[0]?.url ?? '')).status).toBe(404);
  });
});

describe('a segment', () => {
  const named = (name: string) => ({ match: 'all', rules: [{ field: 'name', op: 'eq', value: name }] });
  const create = async (name: string, of: string): Promise<number> =>
    z.object({ data: z.object({ id: z.int() }) }).parse((await call('POST', '/segments', { name, filter: named(of) })).body).data.id;

  test('is a filter that lists, jobs and campaigns use as it is at the time', async () => {
    await addContacts(3);
    const id = await create('Second', 'P2');
    expect((await contacts(`&segment_id=${id}`)).map(({ name }) => name)).toEqual(['P2']);
    expect((await call('GET', '/segments')).body).toMatchObject({ data: [{ id, name: 'Second', filter: named('P2') }] });
    const preview = await call('POST', '/campaigns/audience-preview', { segment_id: id });
    expect(preview.body).toMatchObject({ data: { audience_type: 'segment', total: 1, eligible_contacts: 1 } });
    expect((await call('PUT', `/segments/${id}`, { name: 'Third', filter: named('P3') })).status).toBe(200);
    expect((await finished({ segment_id: id, change: { add_groups: ['G'] } })).progress).toMatchObject({ matched: 1, changed: 1 });
    expect((await contacts(`&segment_id=${id}`)).map(({ name, groups }) => [name, groups[0]?.name])).toEqual([['P3', 'G']]);
    expect((await call('DELETE', `/segments/${id}`)).status).toBe(200);
    expect((await call('GET', `/contacts?segment_id=${id}`)).status).toBe(422);
  });

  test('has a name of its own and valid rules, and is not visible to another company', async () => {
    const id = await create('Names', 'P2');
    expect((await call('POST', '/segments', { name: 'NAMES', filter: named('x') })).body).toMatchObject({
      errors: { name: expect.any(Array) },
    });
    const bad = await call('POST', '/segments', { name: 'Bad', filter: { match: 'all', rules: [{ field: 'name', op: 'gt', value: 1 }] } });
    expect(bad.body).toMatchObject({ errors: { 'filter.rules.0': ['name does not take gt.'] } });
    const stranger = await newCompany();
    expect((await call('DELETE', `/segments/${id}`, undefined, stranger.tokens.owner)).status).toBe(404);
    expect((await call('GET', '/segments', undefined, stranger.tokens.owner)).body).toMatchObject({ data: [] });
  });

  test('or a tag is the audience of a preview: its contacts and no other', async () => {
    await addContacts(4);
    const tag = await newTag('vip');
    await finished({ contact_ids: [1, 3], change: { add_tags: [tag] } });
    const preview = await call('POST', '/campaigns/audience-preview', { tag_id: tag });
    expect(preview.body).toMatchObject({ data: { audience_type: 'tag', total: 2, eligible_contacts: 2 } });
    const both = await call('POST', '/campaigns/audience-preview', { tag_id: tag, group_id: 1 });
    expect([both.status, both.body]).toMatchObject([422, { errors: { tag_id: ['Only with audience_type tag.'] } }]);
    expect((await call('POST', '/campaigns/audience-preview', { segment_id: 99 })).body).toMatchObject({
      errors: { segment_id: ['There is no such segment.'] },
    });
  });
});
