import { afterAll, describe, expect, test } from 'vitest';
import { inboundText } from '../support/company.ts';
import { placeOf, sourceFiles } from '../wiring/imports.ts';
import { activitiesOf, contactNotesOf, newPhone, noteOf, notesOf, preferenceOf, refusalOf, startFixture } from './fixture.ts';

const fixture = await startFixture();
afterAll(() => fixture.stop());
const { testApp, provider } = fixture;
const crm = await fixture.company();
const pipeline = await crm.pipeline();
const phone = newPhone();
const contactId = await crm.contact(phone, 'Ada');
const lead = await crm.lead({ contact_id: contactId, pipeline_id: pipeline.id });
const add = (body: Record<string, unknown>, leadId = lead.id) => crm.call('POST', `/leads/${leadId}/notes`, body);

describe('notes', () => {
  test('are listed newest first, by page and by cursor, with their author', async () => {
    const other = await crm.lead({ contact_id: contactId, pipeline_id: pipeline.id });
    for (let n = 0; n < 7; n++) await add({ [n % 2 ? 'note' : 'body']: `Note ${n}` }, n === 3 ? other.id : lead.id);
    const texts = ['Note 6', 'Note 5', 'Note 4', 'Note 2', 'Note 1', 'Note 0'];
    const page = notesOf(await crm.call('GET', `/leads/${lead.id}/notes?per_page=4`));
    expect(page.meta).toMatchObject({ total: 6, last_page: 2 });
    const rest = notesOf(await crm.call('GET', `/leads/${lead.id}/notes?per_page=4&cursor=${page.meta.next_cursor}`));
    expect([...page.data, ...rest.data].map(({ body }) => body)).toEqual(texts);
    expect(page.data[0]).toMatchObject({ lead_id: lead.id, contact_id: contactId, message_id: null, author: { name: 'The owner' } });
    const ofContact = contactNotesOf(await crm.call('GET', `/api/v1/contacts/${contactId}/notes?per_page=5&page=2`));
    expect([ofContact.data.map(({ body }) => body), ofContact.meta.total]).toEqual([['Note 1', 'Note 0'], 7]);
    expect(refusalOf(await crm.call('GET', '/api/v1/contacts/987654/notes'))).toEqual([404, 'not_found']);
  });

  test('with one retry key are one, also ten at once; with other text it is 409', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => add({ body: 'Once', retry_key: 'k1' })));
    expect(new Set(answers.map((answer) => noteOf(answer).id)).size).toBe(1);
    expect(refusalOf(await add({ body: 'Twice', retry_key: 'k1' }))).toEqual([409, 'retry_key_reused']);
  });

  test('are changed and deleted: the list and its total follow, and the timeline keeps who did it, not the text', async () => {
    const other = await crm.lead({ contact_id: contactId, pipeline_id: pipeline.id });
    const note = noteOf(await add({ body: 'A secret', retry_key: 'k2' }, other.id));
    await add({ body: 'Stays' }, other.id);
    const path = `/leads/${other.id}/notes/${note.id}`;
    const texts = Array.from({ length: 8 }, (_, n) => `Text ${n}`);
    const changed = await Promise.all(texts.map((body) => crm.call('PUT', path, { body })));
    expect(changed.map((answer) => noteOf(answer).body)).toEqual(texts);
    expect((await crm.call('PUT', path, { body: '' })).status).toBe(422);
    await testApp.drain();
    expect(await Promise.all(Array.from({ length: 3 }, async () => (await crm.call('DELETE', path)).status))).toContain(200);
    const listed = notesOf(await crm.call('GET', `/leads/${other.id}/notes`));
    expect([listed.data.map(({ body }) => body), listed.meta.total]).toEqual([['Stays'], 1]);
    for (const answer of [await crm.call('DELETE', path), await crm.call('PUT', path, { body: 'x' })])
      expect(refusalOf(answer)).toEqual([404, 'not_found']);
    expect(refusalOf(await add({ body: 'A secret', retry_key: 'k2' }, other.id))).toEqual([404, 'not_found']);
    await testApp.drain();
    const timeline = await crm.call('GET', `/leads/${other.id}/activities?per_page=50`);
    const types = activitiesOf(timeline).data.map(({ type }) => type);
    expect(types.filter((type) => type === 'note.updated')).toHaveLength(8);
    expect([types[0], types.filter((type) => type === 'note.deleted').length]).toEqual(['note.deleted', 1]);
    expect(timeline.raw).not.toMatch(/secret|Text \d/);
  });

  test("link a message of the lead's contact, and of nobody else", async () => {
    await testApp.call(inboundText(crm.company, { from: phone, text: 'I want a roof' }));
    await testApp.call(inboundText(crm.company, { from: newPhone(), text: 'Me too' }));
    await testApp.drain();
    const messages = (await testApp.dump()).filter(({ kind, companyId }) => kind === 'message' && companyId === crm.company.id);
    const own = messages.find((message) => message['contactId'] === contactId)?.['id'];
    const foreign = messages.find((message) => message['contactId'] !== contactId)?.['id'];
    expect(noteOf(await add({ body: 'Asked here', message_id: own })).message_id).toBe(own);
    expect(refusalOf(await add({ body: 'Asked there', message_id: foreign }))).toEqual([422, 'validation_failed', 'message_id']);
    const types = activitiesOf(await crm.call('GET', `/leads/${lead.id}/activities`)).data.map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual(['message.linked', 'note.added']);
  });

  test.each([[{}], [{ body: ' ' }], [{ body: 'x'.repeat(5_001) }], [{ body: 'x', retry_key: 'x'.repeat(65) }]])(
    'with %j are 422',
    async (body) => expect((await add(body)).status).toBe(422),
  );
});

describe('a note never reaches a customer', () => {
  const files = new Map(sourceFiles('functions', 'shared').map((file) => [file.path, file]));
  const reach = (from: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(from)) return seen;
    seen.add(from);
    for (const imported of files.get(from)?.loaded ?? []) reach(imported, seen);
    return seen;
  };
  /** One has the provider forget a contact, for the erasure that ends notes too, the other rings pages: neither carries a text. */
  const withoutText = ['functions/messaging/gateway/contact-book.ts', 'functions/change-stream/gateway/doorbell.ts'];
  /** Modules that call the provider, or write a message that is sent. */
  const senders = [...files.keys()].filter(
    (path) =>
      (placeOf(path)?.role === 'gateway' && !withoutText.includes(path)) ||
      /functions\/messaging\/service\/(send|queue)-[\w-]+\.ts$/.test(path),
  );
  const notes = [...files.keys()].filter((path) => /functions\/crm\/.*note/.test(path));
  const ofConversations = [...files.keys()].filter((path) => /functions\/conversations\/.*\/(stored-)?notes?\.ts$/.test(path));

  test('no module that handles notes imports one that sends', () => {
    expect([senders.length >= 3, notes.length, ofConversations.length]).toEqual([true, 6, 4]);
    for (const note of [...notes, ...ofConversations])
      expect([note, [...reach(note)].filter((path) => senders.includes(path))]).toEqual([note, []]);
  });

  test('no module that sends, or imports one that does, imports notes', () => {
    const sending = [...files.keys()].filter((path) => [...reach(path)].some((each) => senders.includes(each)));
    expect(sending).toContain('functions/crm/worker.ts');
    for (const path of sending) {
      // the stream consumer copies the ids of notes to the timeline, never their text
      const reached = [...reach(path)].filter((each) => notes.includes(each));
      expect([path, reached]).toEqual([path, []]);
    }
  });

  test('and nothing that leaves the product holds its text', async () => {
    const canary = 'CANARY-7731-please-never-tell';
    const work = newPhone();
    const code = preferenceOf(await crm.call('PUT', '/automation/preferences', { work_number: work, opted_in: true, notify_tasks: true }))
      .verification?.code;
    await testApp.call(inboundText(crm.company, { from: work, text: code ?? '' }));
    await testApp.drain();
    await add({ body: canary });
    const due = new Date(testApp.clock.now() + 12 * 60_000).toISOString();
    await crm.task(lead.id, { title: 'Call', due_at: due });
    await crm.call('PATCH', `/leads/${lead.id}`, { version: 1, title: 'Another' });
    await crm.call('POST', '/api/v1/messages/text', { phone: `+${phone}`, message: 'Hello' });
    await testApp.passTime(5 * 60);
    expect(provider.requests.length).toBeGreaterThanOrEqual(2);
    for (const outgoing of [provider.requests, testApp.events, testApp.emails, testApp.logs])
      expect(JSON.stringify(outgoing)).not.toContain(canary);
    const holders = (await testApp.dump()).filter((item) => JSON.stringify(item).includes(canary)).map(({ kind }) => kind);
    expect(holders).toEqual(['note']);
  });
});
