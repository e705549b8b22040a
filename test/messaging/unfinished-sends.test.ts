import { afterAll, expect } from 'vitest';
import { queueTemplate } from '../../functions/messaging/service/queue-template.ts';
import { statusPost } from '../support/company.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { type Condition, mendedBy } from '../support/mutation.ts';
import { only, resultOf, startFixture } from './fixture.ts';

/** What a send leaves behind when something beside it fails, goes, or becomes another's. */
const fixture = await startFixture();
afterAll(() => fixture.stop());
const { testApp } = fixture;
const company = await fixture.company();
let phones = 4_915_300_000_000;
const nextPhone = (): string => String(++phones);

mendedBy(
  'a text for which no slot could be reserved was not sent, and its repetition under the key is',
  { in: 'functions/messaging/service/create-outbound.ts', replace: 'await giveBackUncalled(await creating);', by: '' },
  async () => {
    const phone = nextPhone();
    {
      using _refused = testApp.onTable(({ input, when }) => {
        if (when === 'before' && JSON.stringify(input).includes('#PACE#')) throw tableError('AccessDeniedException');
      });
      expect((await fixture.send(company, phone, 'Hello', 'a slot')).status).toBeGreaterThanOrEqual(500);
    }
    expect(await fixture.ledger(phone)).toEqual([]);
    const repeated = await fixture.send(company, phone, 'Hello', 'a slot');
    expect(resultOf(repeated).ambiguous).toBe(false);
    await testApp.passTime(180);
    expect(await fixture.ledger(phone)).toHaveLength(1);
    const { message_id } = resultOf(repeated);
    expect(only((await fixture.messages(company.id)).filter(({ id }) => id === message_id)).status).toBeGreaterThanOrEqual(2);
  },
);

mendedBy(
  'a notice that is queued again after its contact was merged goes once',
  {
    in: 'functions/messaging/service/create-outbound.ts',
    replace: '(await findEarlier(draft, mergedIds)) ?? createOutbound(draft);',
    by: 'createOutbound(draft);',
  },
  async () => {
    await fixture.templates(company, [
      {
        name: 'parcel',
        language: 'en',
        category: 'UTILITY',
        status: 'APPROVED',
        components: [{ type: 'BODY', text: 'Your parcel has left.' }],
      },
    ]);
    const call = (method: string, path: string, body?: object) =>
      testApp.call({ method, path: `/api/v1${path}`, token: company.tokens.owner, ...(body ? { body } : {}) });
    const [template] = ((await call('GET', '/templates?name=parcel')).body as { data: { id: number }[] }).data;
    const [from, into] = [nextPhone(), nextPhone()];
    const startedAt = testApp.clock.now();
    const notify = () =>
      queueTemplate(
        company.id,
        { phone: from, name: undefined, template: { templateId: template?.id ?? 0, components: [] }, requiresConsent: false },
        { operationId: 'notice:1', startedAt },
      );
    expect(await notify()).toBe('queued');
    await testApp.drain();
    const remaining = (await call('POST', '/contacts', { phone: into })).body as { data: { id: number } };
    const { contactId } = only((await fixture.messages(company.id)).filter(({ phone }) => phone === from));
    expect((await call('POST', `/contacts/${remaining.data.id}/merge`, { contact_id: contactId })).status).toBe(200);
    await testApp.drain();
    expect(await notify()).toBe('queued');
    await testApp.passTime(60);
    expect(await fixture.ledger(from)).toHaveLength(1);
  },
);

const parkedAsItCame: Condition = {
  in: 'functions/messaging/service/apply-status.ts',
  replace: 'own ? withoutRecipient(status) : status',
  by: 'status',
};
mendedBy('a status that comes after its message was erased keeps no phone', parkedAsItCame, async () => {
  const phone = nextPhone();
  const { message_id, message_wamid } = resultOf(await fixture.send(company, phone, 'Hello'));
  await testApp.drain();
  const [sent] = await fixture.ledger(phone);
  const message = only((await fixture.messages(company.id)).filter(({ id }) => id === message_id));
  const erased = await testApp.call({
    method: 'POST',
    path: `/api/v1/contacts/${message.contactId}/erase`,
    token: company.tokens.owner,
  });
  expect(erased.status).toBeLessThan(300);
  await testApp.passTime(60);
  expect((await fixture.messages(company.id)).filter(({ id }) => id === message_id)).toEqual([]);
  await testApp.call(
    statusPost(company, {
      id: message_wamid ?? '',
      status: 'read',
      recipient_id: phone,
      biz_opaque_callback_data: sent?.reference ?? '',
    }),
  );
  await testApp.drain();
  expect(JSON.stringify(await fixture.items(company.id, 'parked-status'))).not.toContain(phone);
});
