import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { secondOf } from '../../shared/runtime/ids.ts';
import { inboundText, type TestCompany } from '../support/company.ts';
import { type Fixture, startFixture } from './fixture.ts';

const page = z.object({
  data: z.array(z.object({ id: z.int(), value: z.string() })),
  meta: z.object({ has_more: z.boolean(), next_before_id: z.int().nullable() }),
});

describe('listConversationMessages', () => {
  let fixture: Fixture;
  let company: TestCompany;
  let contactId: number;
  const from = '4915700000001';
  /** Seven messages of one second between one before and one after it, in the order of their arrival. */
  const texts = ['before', ...Array.from({ length: 7 }, (_, index) => `nr ${index}`), 'after'];

  beforeAll(async () => {
    fixture = await startFixture();
    company = await fixture.company();
    const base = Math.floor(fixture.testApp.clock.now() / 1_000) * 1_000 - 60_000;
    for (const [index, text] of texts.entries()) {
      const at = index === 0 ? base - 5_000 : index === texts.length - 1 ? base + 5_000 : base;
      await fixture.testApp.call(inboundText(company, { from, id: `wamid.order-${index}`, text, at }));
      await fixture.testApp.drain();
      fixture.testApp.clock.advance(10);
    }
    contactId = (await fixture.messages(company.id))[0]?.contactId ?? 0;
  });
  afterAll(() => fixture.stop());

  const list = async (query: Record<string, string>) => {
    const answer = await fixture.testApp.call({
      method: 'GET',
      path: `/api/v1/conversations/${contactId}/messages`,
      token: company.tokens.owner,
      query,
    });
    expect(answer.status, answer.raw).toBe(200);
    return page.parse(answer.body);
  };

  test('orders messages of one second by arrival, newest first, though their ids are in another order', async () => {
    const { data } = await list({});
    expect(data.map(({ value }) => value)).toEqual(texts.toReversed());
    const ids = data.slice(1, -1).map(({ id }) => id);
    expect(new Set(ids.map(secondOf)).size).toBe(1);
    expect(ids).not.toEqual(ids.toSorted((a, b) => b - a));
  });

  test.each([1, 2, 3, 4, 7, 8])('walks back with before_id in pages of %i, showing each message once and in order', async (limit) => {
    const seen: string[] = [];
    for (let before: number | undefined, pages = 0; pages < 20; pages++) {
      const { data, meta } = await list({ limit: String(limit), ...(before === undefined ? {} : { before_id: String(before) }) });
      expect(data.length).toBeLessThanOrEqual(limit);
      seen.push(...data.map(({ value }) => value));
      expect(meta.next_before_id).toBe(meta.has_more ? (data.at(-1)?.id ?? 0) : null);
      if (!meta.has_more) break;
      before = data.at(-1)?.id;
    }
    expect(seen).toEqual(texts.toReversed());
  });

  test('finds with a search what a walk back shows, in the same order', async () => {
    const first = await list({ search: 'nr', limit: '3' });
    const rest = await list({ search: 'nr', limit: '50', before_id: String(first.meta.next_before_id) });
    expect([...first.data, ...rest.data].map(({ value }) => value)).toEqual(texts.slice(1, -1).toReversed());
  });
});
