import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { inboundText, statusPost, type TestCompany } from '../support/company.ts';
import { type CampaignFixture, startFixture } from './fixture.ts';

let fixture: CampaignFixture;
let company: TestCompany;
beforeAll(async () => {
  fixture = await startFixture();
  company = await fixture.campaigner();
});
afterAll(() => fixture.stop());

const page = z.looseObject({
  data: z.array(z.looseObject({ id: z.int().nullable(), contact_id: z.int(), phone: z.string().nullable(), status_name: z.string() })),
  meta: z.looseObject({ total: z.int(), last_page: z.int(), next_cursor: z.string().nullable() }),
});
const messages = async (id: number, query: string) => page.parse((await fixture.api(company, 'GET', `/${id}/messages${query}`)).body);

async function byCursor(id: number, query: string): Promise<number[]> {
  const contacts: number[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const found: z.output<typeof page> = await messages(id, `?limit=40${query}${cursor ? `&cursor=${cursor}` : ''}`);
    contacts.push(...found.data.map(({ contact_id }) => contact_id));
    cursor = found.meta.next_cursor;
  }
  return contacts;
}

describe('what became of the recipients', () => {
  let id = 0;
  let phones: string[] = [];
  const sale = () => ({ name: 'Sale', template_id: fixture.templateId(company, 'sale'), parammatch: { 1: 'name' } });

  test('is listed by state, by page and by cursor, each once', async () => {
    const people = await fixture.people(company, 230);
    phones = people.map(({ phone }) => phone);
    await fixture.faults({ hold_statuses: true, error_for: { [phones[7] ?? '']: 132012, [phones[150] ?? '']: 132012 } });
    id = await fixture.create(company, sale());
    await fixture.testApp.drain();
    await fixture.faults({ hold_statuses: true });
    const all = new Set(people.map((recipient) => recipient.id));
    expect((await byCursor(id, '')).toSorted((a, b) => b - a)).toEqual([...all].toSorted((a, b) => b - a));
    expect(await byCursor(id, '&status=failed')).toHaveLength(2);
    expect(await byCursor(id, '&status=sent')).toHaveLength(228);
    expect((await messages(id, '?status=failed')).meta.total).toBe(2);
    for (const status of ['scheduled', 'processing', 'delivered', 'read']) expect(await byCursor(id, `&status=${status}`)).toEqual([]);
    const byPage: number[] = [];
    for (let number = 1; number <= 6; number++)
      byPage.push(...(await messages(id, `?limit=40&page=${number}`)).data.map(({ contact_id }) => contact_id));
    expect(byPage).toEqual(await byCursor(id, ''));
    expect((await fixture.api(company, 'GET', `/${id}/messages?status=lost`)).status).toBe(422);
    expect((await fixture.api(company, 'GET', `/${id}/messages?cursor=abc`)).status).toBe(400);
    expect((await fixture.api(await fixture.campaigner(), 'GET', `/${id}/messages`)).status).toBe(404);
  });

  test('moves forward only, also when statuses come twice, late and in the wrong order', async () => {
    const [entry] = await fixture.ledger(phones[0]);
    const post = (status: string) =>
      fixture.testApp.call(statusPost(company, { id: entry?.wamid ?? '', status, biz_opaque_callback_data: entry?.reference ?? '' }));
    for (const status of ['read', 'delivered', 'sent', 'read', 'delivered']) await post(status);
    await fixture.testApp.drain();
    await fixture.testApp.passTime(15);
    const [first] = (await messages(id, '?status=read')).data;
    expect(first).toMatchObject({ phone: phones[0], status_name: 'read', sent_at: expect.any(String), delivered_at: expect.any(String) });
    const { byRows, byStats } = await fixture.counted(company, id);
    expect(byStats).toEqual(byRows);
  });

  test('is told: answers and refusals are counted for the campaign, its end is an event', async () => {
    await fixture.testApp.call(inboundText(company, { from: phones[1] ?? '', text: 'Thanks!' }));
    await fixture.testApp.call(inboundText(company, { from: phones[1] ?? '', text: 'Still there?' }));
    await fixture.testApp.call(inboundText(company, { from: phones[2] ?? '', text: 'STOP' }));
    await fixture.testApp.drain();
    expect((await fixture.details(company, id)).funnel).toMatchObject({ accepted: 228, replied: 2, opted_out: 1 });
    const ended = fixture.testApp.events.filter((each) => JSON.stringify(each).includes('campaign.completed'));
    expect(ended.length).toBeGreaterThanOrEqual(1);
  });

  test('shows in the conversation as what was said', async () => {
    const listed = await fixture.testApp.call({
      method: 'GET',
      path: '/api/v1/conversations',
      query: { search: phones[5] ?? '' },
      token: company.tokens.member,
    });
    expect(listed.body).toMatchObject({ data: [{ last_message: { value: expect.stringContaining('our sale starts today'), status: 2 } }] });
  });
});
