import { afterAll, describe, expect, test } from 'vitest';
import { conversationNoteEntity } from '../../functions/conversations/store/note.ts';
import { encodeCursor } from '../../shared/table/cursor.ts';
import { putInBatches } from '../support/batch-write.ts';
import { seeded } from '../support/random.ts';
import { contactNotesOf, newPhone, noteOf, refusalOf, startFixture } from './fixture.ts';

/** The notes of a contact are those of its leads and of its conversation, in one list. */
const fixture = await startFixture();
afterAll(() => fixture.stop());
const { testApp } = fixture;
const crm = await fixture.company();
const pipeline = await crm.pipeline();

interface Written {
  source: 'lead' | 'conversation';
  id: number;
  body: string;
}

const start = async () => {
  const contactId = await crm.contact(newPhone(), 'Ada');
  const leads: number[] = [];
  for (let n = 0; n < 3; n++) leads.push((await crm.lead({ contact_id: contactId, pipeline_id: pipeline.id })).id);
  const ids = { lead: 0, conversation: 0 };
  let written = 0;
  const write = async (source: Written['source'], leadId = leads[written % leads.length]): Promise<Written> => {
    testApp.clock.advance(1_000);
    const body = `Note ${++written}`;
    const path = source === 'lead' ? `/leads/${leadId}/notes` : `/api/v1/conversations/${contactId}/notes`;
    const answer = await crm.call('POST', path, { body });
    const { id } = (answer.body as { data: { id: number } }).data;
    expect(id).toBeGreaterThan(ids[source]);
    ids[source] = id;
    return { source, id, body };
  };
  const list = (query: string, id = contactId) => crm.call('GET', `/api/v1/contacts/${id}/notes?${query}`);
  return { contactId, leads, write, list };
};

const walk = async (list: (query: string) => ReturnType<typeof crm.call>, limit: number, between?: () => Promise<unknown>) => {
  const seen: Written[] = [];
  const totals = new Set<number>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = contactNotesOf(await list(`limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`));
    seen.push(...page.data.map(({ source, id, body }) => ({ source, id, body })));
    totals.add(page.meta.total);
    cursor = page.meta.next_cursor;
    if (cursor !== null) await between?.();
  }
  return { seen, totals: [...totals] };
};

describe('a hundred notes in random order of both', () => {
  test.each([3, 25, 100])(
    'are all listed, newest first, %i a page: none twice, none left out, whatever is added meanwhile',
    async (limit) => {
      const random = seeded(20_261_129 + limit);
      const { write, list } = await start();
      const all: Written[] = [];
      for (let n = 0; n < 100; n++) all.unshift(await write(random() < 0.5 ? 'lead' : 'conversation'));
      expect(new Set(all.map(({ source }) => source)).size).toBe(2);
      // newer ones belong before the pages that were read
      const between = limit < 25 ? undefined : () => write(random() < 0.5 ? 'lead' : 'conversation');
      expect(await walk(list, limit, between)).toEqual({ seen: all, totals: [100] });
    },
  );

  test('have page numbers too', async () => {
    const random = seeded(7);
    const { write, list } = await start();
    const all: Written[] = [];
    for (let n = 0; n < 23; n++) all.unshift(await write(random() < 0.7 ? 'lead' : 'conversation'));
    const pages = [];
    for (let page = 1; page <= 4; page++) pages.push(contactNotesOf(await list(`limit=7&page=${page}`)));
    expect(pages.flatMap(({ data }) => data.map(({ body }) => body))).toEqual(all.map(({ body }) => body));
    expect(pages.map(({ meta }) => [meta.total, meta.last_page])).toEqual(Array.from({ length: 4 }, () => [23, 4]));
    expect(contactNotesOf(await list('limit=7&page=5')).data).toEqual([]);
  });
});

test('each has its source, its author and what it is of', async () => {
  const { contactId, leads, write, list } = await start();
  await write('conversation');
  await write('lead', leads[0]);
  const author = { id: crm.company.users.owner, name: 'The owner' };
  expect(contactNotesOf(await list('limit=5')).data).toMatchObject([
    { source: 'lead', lead_id: leads[0], contact_id: contactId, author, message_id: null },
    { source: 'conversation', lead_id: null, contact_id: contactId, author, message_id: null },
  ]);
});

test('a note that was deleted is not listed, and one of another contact neither', async () => {
  const { contactId, write, list } = await start();
  const other = await start();
  await other.write('conversation');
  const own = await write('lead');
  const gone = await write('conversation');
  await crm.call('DELETE', `/api/v1/conversations/${contactId}/notes/${gone.id}`);
  const { data, meta } = contactNotesOf(await list('limit=5'));
  expect([data.map(({ body }) => body), meta.total]).toEqual([[own.body], 1]);
});

test('of contacts that became one all are listed, by either id', async () => {
  const [one, two] = [await start(), await start()];
  const all = [await one.write('conversation'), await two.write('lead'), await two.write('conversation'), await one.write('lead')];
  expect((await crm.call('POST', `/api/v1/contacts/${one.contactId}/merge`, { contact_id: two.contactId })).status).toBe(200);
  for (const id of [one.contactId, two.contactId]) {
    const { seen } = await walk((query) => one.list(query, id), 3);
    expect(seen).toEqual(all.toReversed());
  }
});

test('a cursor of before, which had a place among the notes of leads alone, goes on there', async () => {
  const { contactId, leads, write, list } = await start();
  const notes = [];
  for (let n = 0; n < 5; n++) notes.push(noteOf(await crm.call('POST', `/leads/${leads[0]}/notes`, { body: `Note ${n}` })));
  const late = await write('conversation');
  const former = await encodeCursor(`contact-notes:${crm.company.id}:${contactId}`, { below: notes[2]?.id ?? 0 });
  const { data } = contactNotesOf(await list(`limit=9&cursor=${former}`));
  expect(data.map(({ body }) => body)).toEqual([late.body, 'Note 1', 'Note 0']);
  expect(refusalOf(await list('cursor=made-up'))).toEqual([400, 'invalid_cursor']);
});

test('of a conversation with thousands the total counts a thousand, and the cursor reaches the rest', async () => {
  const { contactId, write, list } = await start();
  const last = await write('lead');
  const at = testApp.clock.now() - 10_000_000;
  await putInBatches(
    Array.from({ length: 1_203 }, (_, n) => {
      const note = { companyId: crm.company.id, contactId, id: 900_000 + n, body: `Old ${n}`, createdAt: at + n, updatedAt: at + n };
      return { ...conversationNoteEntity.stored(note), ...conversationNoteEntity.key(note) };
    }),
  );
  const first = contactNotesOf(await list('limit=100'));
  expect([first.meta.total, first.links.last, first.data[0]?.body]).toEqual([1_001, null, last.body]);
  expect(refusalOf(await list('limit=100&page=12'))).toEqual([422, 'validation_failed', 'page']);
  const { seen, totals } = await walk(list, 100);
  expect([seen.length, new Set(seen.map(({ id, source }) => `${source} ${id}`)).size, totals]).toEqual([1_204, 1_204, [1_001]]);
});
