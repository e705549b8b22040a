import { expect } from 'vitest';
import * as z from 'zod';
import { inboundText, type TestCompany } from '../support/company.ts';
import type { Answer, Call } from '../support/gateway-event.ts';
import type { TestApp } from '../support/test-app.ts';

export const base = 1_790_000_000_000;
export const phoneOf = (nth: number): string => String(4_930_000_000_000 + nth);

/** What contacts write, and the lists as a viewer sees them. */
export const inboxOf = (testApp: TestApp) => {
  const receive = async (target: TestCompany, nth: number, at: number, text = `From ${nth}`, name = `Person ${nth}`): Promise<void> => {
    const answer = await testApp.call(inboundText(target, { from: phoneOf(nth), text, name, at }));
    expect(answer.status).toBe(200);
  };
  const listOf = (target: TestCompany, path: string, query: NonNullable<Call['query']> = {}): Promise<Answer> =>
    testApp.call({ method: 'GET', path, query, token: target.tokens.viewer });
  const list = async (target: TestCompany, query: NonNullable<Call['query']> = {}) => {
    const answer = await listOf(target, '/api/v1/conversations', query);
    expect(answer.status).toBe(200);
    return listSchema.parse(answer.body);
  };
  return { receive, listOf, list };
};

export const listSchema = z.object({
  data: z.array(
    z.looseObject({
      id: z.int(),
      contact: z.object({ id: z.int(), name: z.string().nullable(), phone: z.string() }),
      last_message: z.looseObject({ id: z.int(), value: z.string(), is_message_by_contact: z.int(), status: z.int() }),
      unread_count: z.int(),
      last_message_at: z.string(),
    }),
  ),
  links: z.object({ next: z.string().nullable(), prev: z.string().nullable(), first: z.string().nullable(), last: z.string().nullable() }),
  meta: z.object({ current_page: z.int(), last_page: z.int(), per_page: z.int(), total: z.int(), next_cursor: z.string().nullable() }),
});
