import { afterAll, describe, expect, it } from 'vitest';
import { type Caller, contactOf, newCompany, nextPhone, pageOf, putTag, refusalOf, startContacts } from './support.ts';

const testApp = await startContacts();
afterAll(() => testApp.stop());

let me: Caller;
const fresh = async (): Promise<Caller> => (me = await testApp.as(newCompany()));

describe('GET /contacts', () => {
  it('pages newest first by number and by cursor, over deleted contacts and borders of contact pages', async () => {
    await fresh();
    const ids: number[] = [];
    for (let i = 0; i < 75; i++) ids.push(contactOf(await me.post({ phone: nextPhone() })).id);
    for (const id of ids.filter((each) => each % 7 === 0 || (each > 30 && each < 60))) await me.delete(id);
    const live = ids.filter((id) => !(id % 7 === 0 || (id > 30 && id < 60))).reverse();
    for (const limit of [1, 7, 20, 32, 100]) {
      const byNumber: number[] = [];
      for (let page = 1; page <= Math.ceil(live.length / limit); page++)
        byNumber.push(...pageOf(await me.get(`?page=${page}&limit=${limit}`)).data.map((contact) => contact.id));
      expect(byNumber).toEqual(live);
      const byCursor: number[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page = pageOf(await me.get(`?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`));
        byCursor.push(...page.data.map((contact) => contact.id));
        cursor = page.meta.next_cursor;
      }
      expect(byCursor).toEqual(live);
    }
    expect(pageOf(await me.get('')).data).toHaveLength(20);
    expect(pageOf(await me.get('?page=2&per_page=45')).data).toEqual([]);
    expect(pageOf(await me.get('?page=999999999')).data).toEqual([]);
  });

  it('links keep the query and never show the token', async () => {
    await fresh();
    await me.post({ phone: nextPhone() });
    const { links } = pageOf(await testApp.call({ method: 'GET', path: `/api/v1/contacts?limit=5&token=${me.token}` }));
    expect(links).toEqual({
      first: 'https://api.example.test/api/v1/contacts?limit=5&page=1',
      last: 'https://api.example.test/api/v1/contacts?limit=5&page=1',
      prev: null,
      next: null,
    });
  });

  it.each(['page=0', 'page=x', 'limit=0', 'limit=101', 'per_page=-1'])('%s is rejected, naming the parameter', async (query) => {
    await fresh();
    expect(refusalOf(await me.get(`?${query}`))).toEqual([422, 'validation_failed', query.split('=')[0]]);
  });

  it('rejects a cursor of another list', async () => {
    const other = await testApp.as(newCompany());
    await other.post({ phone: nextPhone() });
    await other.post({ phone: nextPhone() });
    const { meta } = pageOf(await other.get('?limit=1'));
    await fresh();
    expect(refusalOf(await me.get(`?cursor=${meta.next_cursor}`))).toEqual([400, 'invalid_cursor']);
    expect(refusalOf(await me.get('?cursor=nonsense'))).toEqual([400, 'invalid_cursor']);
  });
});

describe('records of another company', () => {
  it('are not found and cannot be referenced', async () => {
    const other = await testApp.as(newCompany());
    const { id, groups } = contactOf(await other.post({ phone: nextPhone(), groups: ['theirs'] }));
    await putTag(other.companyId, 5, 'theirs');
    await fresh();
    const missing = await me.get('/4711');
    for (const answer of [
      await me.get(`/${id}`),
      await me.put(id, { phone: nextPhone() }),
      await me.delete(id),
      await me.get('/0'),
      await me.get('/x'),
    ]) {
      expect(answer.status).toBe(404);
      expect({ ...(answer.body as object), request_id: '' }).toEqual({ ...(missing.body as object), request_id: '' });
    }
    expect(refusalOf(await me.post({ phone: nextPhone(), groups: [groups[0]?.id] }))).toEqual([422, 'validation_failed', 'groups']);
    expect(refusalOf(await me.post({ phone: nextPhone(), tags: [5] }))).toEqual([422, 'validation_failed', 'tags']);
    expect(contactOf(await other.get(`/${id}`)).id).toBe(id);
  });

  it('the same phone is a separate contact in each company', async () => {
    const other = await testApp.as(newCompany());
    const number = nextPhone();
    await other.post({ phone: number, name: 'Theirs' });
    await fresh();
    expect(contactOf(await me.post({ phone: number }))).toMatchObject({ created: true, name: null });
  });
});
