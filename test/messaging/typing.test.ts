import { afterAll, describe, expect, test } from 'vitest';
import { rotateNumberSecrets } from '../../functions/account/service/numbers.ts';
import { dayMs } from '../../shared/runtime/clock.ts';
import { type TestCompany, unwrap } from '../support/company.ts';
import { inboundOf, problemOf, startFixture } from './fixture.ts';

const fixture = await startFixture();
afterAll(() => fixture.stop());
const { nextPhone } = inboundOf(fixture);

const typing = (company: TestCompany, id: number) =>
  fixture.testApp.call({ method: 'POST', path: `/api/v1/conversations/${id}/typing`, token: company.tokens.member });

/** A customer who wrote two messages: the ids that the provider gave them, and the conversation. */
const written = async (company: TestCompany) => {
  const from = nextPhone();
  const wamids: string[] = [];
  for (const text of ['Hello', 'Are you there?']) {
    wamids.push(await fixture.inbound({ company_id: company.id, from, type: 'text', text }));
    await fixture.deliverAll();
    fixture.testApp.clock.advance(2_000);
  }
  const [first] = await fixture.messages(company.id);
  return { wamids, conversationId: first?.contactId ?? 0 };
};
const typedAt = async (wamids: readonly string[]) =>
  (await fixture.receipts()).filter(({ wamid }) => wamids.includes(wamid)).map(({ wamid, typing: is }) => [wamid, is]);

describe('typing', () => {
  test('is shown at the newest message, for 25 seconds, and nothing is stored', async () => {
    const company = await fixture.company();
    const { wamids, conversationId } = await written(company);
    const [messages, summaries] = [await fixture.messages(company.id), await fixture.items(company.id, 'conversation')];
    const at = fixture.testApp.clock.now();
    const answer = await typing(company, conversationId);
    expect(answer.body).toMatchObject({ data: { message_id: messages.find(({ wamid }) => wamid === wamids[1])?.id } });
    const { expires_at } = (answer.body as { data: { expires_at: string } }).data;
    expect(Date.parse(expires_at) - at).toBeGreaterThanOrEqual(25_000);
    await fixture.deliverAll();
    expect(await typedAt(wamids)).toEqual([[wamids[1], true]]);
    expect([await fixture.messages(company.id), await fixture.items(company.id, 'conversation')]).toEqual([messages, summaries]);
  });

  test('is refused while the window is closed, also where the contact never wrote; of no conversation it is 404', async () => {
    const company = await fixture.company();
    const { wamids, conversationId } = await written(company);
    const sent = await fixture.send(company, nextPhone(), 'An offer');
    await fixture.deliverAll();
    const { contact_id: silent } = (sent.body as { data: { contact_id: number } }).data;
    fixture.testApp.clock.advance(dayMs);
    for (const id of [conversationId, silent]) {
      const answer = await typing(company, id);
      expect([answer.status, problemOf(answer).code]).toEqual([422, 'window_closed']);
    }
    expect((await typing(company, 999_999)).status).toBe(404);
    expect(await typedAt(wamids)).toEqual([]);
  });

  test('says what the provider refuses', async () => {
    const company = await fixture.company();
    const { conversationId } = await written(company);
    unwrap(await rotateNumberSecrets(company.id, 1, { access_token: 'a token that ended' }));
    const answer = await typing(company, conversationId);
    expect([answer.status, problemOf(answer)]).toMatchObject([422, { code: 'provider_rejected', details: { provider_code: 190 } }]);
  });

  test('is refused by the provider at a message of the business', async () => {
    const company = await fixture.company();
    await fixture.send(company, nextPhone(), 'Hello');
    await fixture.deliverAll();
    const wamid = (await fixture.ledger()).at(-1)?.wamid;
    const { version, phoneNumberId } = { version: 'v25.0', phoneNumberId: company.number.phoneNumberId };
    const answer = await fetch(`${fixture.provider.url}/${version}/${phoneNumberId}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer token-of-company-${company.id}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messaging_product: 'whatsapp', status: 'read', message_id: wamid, typing_indicator: { type: 'text' } }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 131009 } }]);
  });
});
