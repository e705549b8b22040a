import { afterAll, describe, expect, test } from 'vitest';
import { addNumber, rotateNumberSecrets } from '../../functions/account/service/numbers.ts';
import { attack } from '../support/attack.ts';
import { inboundText, newCompany, providerEnvelope, providerPost, statusPost, type TestCompany, unwrap } from '../support/company.ts';
import type { Answer, Call } from '../support/gateway-event.ts';
import { startTestApp } from '../support/test-app.ts';

/** Posts about the numbers of others, under a signature that is valid, because one app serves two companies. */
const testApp = await startTestApp();
afterAll(() => testApp.stop());

const received = { status: 'success', message: 'EVENT_RECEIVED' };
const kindsOf = async (company: TestCompany): Promise<string[]> =>
  (await testApp.dump()).filter((item) => item['c'] === company.id || item['companyId'] === company.id).map((item) => String(item['kind']));
const foreignMetric = (): number =>
  testApp.logs.reduce((total, line) => total + (typeof line['ForeignUpdates'] === 'number' ? line['ForeignUpdates'] : 0), 0);

/** Two companies behind one app: the same app secret signs the posts of both. */
const neighbours = async (): Promise<[TestCompany, TestCompany]> => {
  const both = [await newCompany(), await newCompany()] as const;
  for (const { id } of both) unwrap(await rotateNumberSecrets(id, 1, { app_secret: 'the secret of the shared app' }));
  return [
    { ...both[0], appSecret: 'the secret of the shared app' },
    { ...both[1], appSecret: 'the secret of the shared app' },
  ];
};
/** A post about one company, as it reaches another one's URL. */
const misrouted = (call: Call, to: TestCompany): Promise<Answer> => testApp.call({ ...call, path: to.webhookPath });

const numberCheck = {
  in: 'functions/messaging/service/receive-webhook.ts',
  replace: '    : !numberIds.has(phone_number_id);',
  by: '    : false;',
};

describe('a post about the number of another company', () => {
  attack(
    'with a message or a status makes no contact, no message and no conversation, is counted, and is answered 200',
    [numberCheck],
    async () => {
      const [mine, other] = await neighbours();
      const before = foreignMetric();
      expect((await misrouted(inboundText(other, { from: '4915112345678', text: 'A secret of their customer' }), mine)).body).toEqual(
        received,
      );
      expect((await misrouted(statusPost(other, { id: 'wamid.theirs', status: 'delivered' }), mine)).body).toEqual(received);
      await testApp.drain();
      const kinds = await kindsOf(mine);
      for (const kind of ['contact', 'message', 'conversation', 'parked-status']) expect(kinds).not.toContain(kind);
      expect(kinds).toContain('archived-update');
      expect(foreignMetric() - before).toBe(2);
      expect(await kindsOf(other)).not.toContain('message');
    },
  );

  attack(
    'about the account alone changes no template and no number',
    [
      {
        in: 'functions/messaging/service/receive-webhook.ts',
        replace: '    ? business_account_id !== undefined && !accountIds.has(business_account_id)',
        by: '    ? false',
      },
    ],
    async () => {
      const [mine, other] = await neighbours();
      const value = { event: 'REJECTED', message_template_id: 5, message_template_name: 'sale', message_template_language: 'en' };
      const body = { entry: [{ id: other.number.wabaId, changes: [{ field: 'message_template_status_update', value }] }] };
      expect((await testApp.call(providerPost(mine, body))).body).toEqual(received);
      await testApp.drain();
      const kinds = await kindsOf(mine);
      expect(kinds.filter((kind) => kind.startsWith('template'))).toEqual([]);
      expect(kinds).toContain('archived-update');
    },
  );

  test('leaves the company’s own updates of the same post as they are', async () => {
    const [mine, other] = await neighbours();
    const text = (id: string) => ({ messages: [{ from: '4915112345678', id, timestamp: '1790000000', type: 'text', text: { body: id } }] });
    const [own, foreign] = [providerEnvelope(mine, text('wamid.mine')), providerEnvelope(other, text('wamid.other'))] as {
      entry: unknown[];
    }[];
    await testApp.call(providerPost(mine, { entry: [...(foreign?.entry ?? []), ...(own?.entry ?? [])] }));
    await testApp.drain();
    const messages = (await testApp.dump()).filter((item) => item['kind'] === 'message' && item['companyId'] === mine.id);
    expect(messages.map((item) => item['wamid'])).toEqual(['wamid.mine']);
  });

  test('a number that was added a moment ago is known at once', async () => {
    const company = await newCompany();
    await testApp.call(inboundText(company, { from: '4915112345678', text: 'One' }));
    unwrap(
      await addNumber(company.id, {
        phone: '15550001111',
        phone_number_id: '777000111',
        waba_id: company.number.wabaId,
        access_token: 'a token',
        app_secret: company.appSecret,
      }),
    );
    const added = { ...company, number: { ...company.number, phoneNumberId: '777000111' } };
    await testApp.call(inboundText(added, { from: '4915112345679', text: 'Two' }));
    await testApp.drain();
    const messages = (await testApp.dump()).filter((item) => item['kind'] === 'message' && item['companyId'] === company.id);
    expect(messages.map((item) => String(item['value'])).toSorted()).toEqual(['One', 'Two']);
  });
});
