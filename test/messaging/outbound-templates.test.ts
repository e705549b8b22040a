import { AsyncLocalStorage } from 'node:async_hooks';
import { runSize } from '../support/run-size.ts';
import { seeded, seedsFrom } from '../support/random.ts';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { setConsent } from '../../functions/contacts/service/consent.ts';
import { contactEntity } from '../../functions/contacts/store/contact.ts';
import { messageStatuses } from '../../functions/messaging/contract/stored.ts';
import { queueTemplate } from '../../functions/messaging/service/queue-template.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { newPhone, refusedFields, startOutboundFixture } from './outbound-fixture.ts';
import { problemOf, resultOf } from './fixture.ts';

const { fixture, company, post, sentFor } = await startOutboundFixture();
afterAll(() => fixture.stop());

describe('templates', () => {
  const text = (...values: string[]) => values.map((value) => ({ type: 'text', text: value }));
  const order = { template_name: 'order_update' };

  test.each<[string, Record<string, unknown>, unknown, string]>([
    ['without parameters', { template_name: 'hello' }, undefined, 'Hello!'],
    [
      'components',
      { ...order, components: [{ type: 'BODY', parameters: text('Ada', 'A1') }] },
      [{ type: 'body', parameters: text('Ada', 'A1') }],
      'Hi Ada, your order A1 has shipped.',
    ],
    [
      'variables by order',
      { ...order, variables: ['Ada', 7] },
      [{ type: 'body', parameters: text('Ada', '7') }],
      'Hi Ada, your order 7 has shipped.',
    ],
    [
      'variables by number',
      { ...order, variables: { 2: 'A1', 1: 'Ada' } },
      [{ type: 'body', parameters: text('Ada', 'A1') }],
      'Hi Ada, your order A1 has shipped.',
    ],
    [
      'components before variables',
      { ...order, components: [{ type: 'body', parameters: text('Ada', 'A1') }], variables: ['no'] },
      [{ type: 'body', parameters: text('Ada', 'A1') }],
      'Hi Ada, your order A1 has shipped.',
    ],
    [
      'named ones by name',
      { template_name: 'named', template_language: 'en_US', variables: { order: 'A1', first_name: 'Ada' } },
      [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'Ada', parameter_name: 'first_name' },
            { type: 'text', text: 'A1', parameter_name: 'order' },
          ],
        },
      ],
      'Hi Ada, A1 is here.',
    ],
    [
      'named ones in another order',
      {
        template_name: 'named',
        language: 'en_US',
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', text: 'A1', parameter_name: 'order' },
              { type: 'text', text: 'Ada', parameter_name: 'first_name' },
            ],
          },
        ],
      },
      [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'A1', parameter_name: 'order' },
            { type: 'text', text: 'Ada', parameter_name: 'first_name' },
          ],
        },
      ],
      'Hi Ada, A1 is here.',
    ],
    [
      'a header of text',
      { template_name: 'titled', header_variables: ['A1'], variables: ['Ada'] },
      [
        { type: 'header', parameters: text('A1') },
        { type: 'body', parameters: text('Ada') },
      ],
      'It is on its way, Ada.',
    ],
    [
      'a header of a document',
      { template_name: 'invoice', document: 'https://files.example/in%20voice.pdf' },
      [
        {
          type: 'header',
          parameters: [{ type: 'document', document: { link: 'https://files.example/in%20voice.pdf', filename: 'in voice.pdf' } }],
        },
      ],
      'Your invoice.',
    ],
    [
      'buttons, the suffix of an address also where the whole was given',
      {
        template_name: 'buttons',
        components: [
          { type: 'button', sub_type: 'URL', index: 1, parameters: text('https://shop.example/track/xyz') },
          { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'YES' }] },
        ],
      },
      [
        { type: 'button', sub_type: 'url', index: '1', parameters: text('xyz') },
        { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'YES' }] },
      ],
      'Choose.',
    ],
    [
      'an authentication code, which goes into its button too',
      { template_name: 'code', variables: ['123456'] },
      [
        { type: 'body', parameters: text('123456') },
        { type: 'button', sub_type: 'url', index: '0', parameters: text('123456') },
      ],
      '*123456* is your verification code.',
    ],
  ])('%s', async (_, fields, components, value) => {
    const { sent, stored, answer } = await sentFor('template', fields);
    expect(sent['template']).toEqual({
      name: fields['template_name'],
      language: { code: fields['template_language'] ?? fields['language'] ?? 'en' },
      ...(components === undefined ? {} : { components }),
    });
    expect(stored).toMatchObject({ subtype: 'template', value, type: fields['template_name'] === 'invoice' ? 2 : 1 });
    const isLegacy = ['variables', 'header_variables', 'language'].some((field) => field in fields);
    expect('deprecation' in answer.headers).toBe(isLegacy);
    expect(resultOf(answer).warnings).toEqual([]);
  });

  test('by GET, components as a JSON text or in brackets', async () => {
    for (const query of [
      { components: JSON.stringify([{ type: 'body', parameters: text('Ada', 'A1') }]) },
      {
        'components[0][type]': 'body',
        'components[0][parameters][0][type]': 'text',
        'components[0][parameters][0][text]': 'Ada',
        'components[0][parameters][1][type]': 'text',
        'components[0][parameters][1][text]': 'A1',
      },
      { 'variables[]': ['Ada', 'A1'] },
      { 'variables[1]': 'Ada', 'variables[2]': 'A1' },
    ]) {
      const path = '/api/v1/messages/template';
      const answer = await fixture.testApp.call({
        method: 'GET',
        path,
        token: company.tokens.member,
        query: { phone: newPhone(), ...order, ...query },
      });
      expect(answer.status, `${JSON.stringify(query)} ${answer.raw}`).toBe(200);
    }
  });

  const bodyOf = (...values: string[]) => ({ components: [{ type: 'body', parameters: text(...values) }] });
  const url = (...values: string[]) => ({ type: 'button', sub_type: 'url', index: '1', parameters: text(...values) });
  test.each<[string, Record<string, unknown>, string[]]>([
    ['one parameter too few', { ...order, ...bodyOf('a') }, ['components']],
    ['one too many', { ...order, ...bodyOf('a', 'b', 'c') }, ['components']],
    ['none', order, ['components']],
    ['too few variables', { ...order, variables: ['a'] }, ['components', 'variables']],
    ['a variable that is no placeholder', { ...order, variables: { 1: 'a', name: 'b' } }, ['variables', 'components']],
    ['an empty parameter', { ...order, ...bodyOf('a', ' ') }, ['components']],
    ['a line break in a parameter', { ...order, ...bodyOf('a', 'b\nc') }, ['components']],
    ['five blanks in a parameter', { ...order, ...bodyOf('a', 'b     c') }, ['components']],
    [
      'a body beyond the limit',
      { ...order, components: [{ type: 'body', parameters: [{ type: 'image', image: {} }, ...text('b')] }] },
      ['components'],
    ],
    ['an unknown component', { ...order, components: [...bodyOf('a', 'b').components, { type: 'tail' }] }, ['components.1.type']],
    [
      'a named parameter of another name',
      {
        template_name: 'named',
        language: 'en_US',
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', text: 'x', parameter_name: 'a' },
              { type: 'text', text: 'y', parameter_name: 'order' },
            ],
          },
        ],
      },
      ['components'],
    ],
    ['a header without its document', { template_name: 'invoice' }, ['components']],
    ['a header of another kind', { template_name: 'invoice', image: 'https://files.example/a.png' }, ['image', 'components']],
    ['a document inside', { template_name: 'invoice', document: 'https://169.254.169.254/a.pdf' }, ['document', 'components']],
    [
      'two files',
      { template_name: 'invoice', document: 'https://files.example/a.pdf', video: 'https://files.example/a.mp4' },
      ['components', 'document', 'video'],
    ],
    ['an address without its suffix', { template_name: 'buttons' }, ['components']],
    [
      'a parameter for a phone button',
      { template_name: 'buttons', components: [url('a'), { type: 'button', sub_type: 'url', index: 2, parameters: text('x') }] },
      ['components'],
    ],
    [
      'a button that is not there',
      { template_name: 'buttons', components: [url('a'), { type: 'button', sub_type: 'url', index: 7, parameters: text('x') }] },
      ['components'],
    ],
    ['a button given twice', { template_name: 'buttons', components: [url('a'), url('b')] }, ['components']],
    ['a code too long', { template_name: 'code', variables: ['1234567890123456'] }, ['components', 'variables']],
    [
      'a code that differs in its button',
      {
        template_name: 'code',
        components: [...bodyOf('1234').components, { type: 'button', sub_type: 'url', index: 0, parameters: text('9999') }],
      },
      ['components'],
    ],
  ])('%s is refused before the provider is asked', async (_, fields, errors) => {
    const before = (await fixture.ledger()).length;
    expect(refusedFields(await post('template', fields)).toSorted()).toEqual(errors.filter((field) => field !== '').toSorted());
    expect((await fixture.ledger()).length).toBe(before);
  });

  test('an unknown name, another language and a paused template have codes of their own', async () => {
    const unknown = await post('template', { template_name: 'nothing' });
    expect([problemOf(unknown).code, unknown.raw]).toEqual(['template_not_found', expect.stringContaining('/templates/sync')]);
    const other = problemOf(await post('template', { template_name: 'named' }));
    expect([other.code, other.details?.['languages']]).toEqual(['template_not_found', ['en_US']]);
    const paused = problemOf(await post('template', { template_name: 'resting' }));
    expect([paused.code, paused.details?.['status']]).toEqual(['template_not_approved', 'PAUSED']);
  });

  test('marketing is refused for unsubscribed contacts; other templates are sent', async () => {
    const phone = newPhone();
    await fixture.testApp.call({
      method: 'POST',
      path: '/api/v1/contacts',
      token: company.tokens.member,
      body: { phone, subscribed: false },
    });
    expect(problemOf(await post('template', { phone, template_name: 'sale', variables: ['Ada'] })).code).toBe('recipient_opted_out');
    expect((await post('template', { phone, template_name: 'hello' })).status).toBe(200);
    expect(await fixture.ledger(phone)).toHaveLength(1);
  });

  test('marketing is refused right after the contact opted out, also where eventually consistent reads do not know it yet', async () => {
    const known = await Promise.all(Array.from({ length: 4 }, () => contact()));
    using _late = await fixture.testApp.readLate(1, 1);
    for (const { id, phone } of known) {
      await setConsent(company.id, id, { subscribed: false, source: 'keyword', at: fixture.testApp.clock.now(), evidence: phone });
      expect(problemOf(await post('template', { phone, template_name: 'sale', variables: ['Ada'] })).code).toBe('recipient_opted_out');
    }
  });

  test('a scheduled message is judged anew when it is due: marketing needs consent then, and nothing goes to a deleted contact', async () => {
    const [stopped, blocked, deleted, willing] = [await contact(), await contact(), await contact(), await contact()];
    const scheduled_at = new Date(fixture.testApp.clock.now() + 600_000).toISOString();
    const later = async (phone: string, fields: object): Promise<number> =>
      resultOf(await post('template', { phone, scheduled_at, ...fields })).message_id;
    const sale = { template_name: 'sale', variables: ['Ada'] };
    const ids: number[] = [];
    for (const { phone } of [stopped, blocked, willing]) ids.push(await later(phone, sale));
    ids.push(await later(stopped.phone, { template_name: 'hello' }), await later(deleted.phone, { template_name: 'hello' }));
    const at = fixture.testApp.clock.now();
    await setConsent(company.id, stopped.id, { subscribed: false, source: 'keyword', at, evidence: 'stop' });
    await setConsent(company.id, blocked.id, { marketingBlocked: true, source: 'provider', at, evidence: 'stop' });
    const gone = { method: 'DELETE' as const, path: `/api/v1/contacts/${deleted.id}`, token: company.tokens.member };
    expect((await fixture.testApp.call(gone)).status).toBe(200);
    await fixture.testApp.drain();
    await fixture.testApp.passTime(620);
    const rows = new Map((await fixture.messages(company.id)).map((row) => [row.id, row]));
    const outcomes = ids.map((id) => [rows.get(id)?.status, rows.get(id)?.error?.code]);
    expect(outcomes).toEqual([
      [messageStatuses.failed, 'recipient_opted_out'],
      [messageStatuses.failed, 'recipient_opted_out'],
      [messageStatuses.sent, undefined],
      [messageStatuses.sent, undefined],
      [messageStatuses.failed, 'recipient_deleted'],
    ]);
    const sent = await Promise.all([stopped, blocked, willing, deleted].map(async ({ phone }) => (await fixture.ledger(phone)).length));
    expect(sent).toEqual([1, 0, 1, 0]);
  });

  test('a reminder that the product sends needs consent when it is sent, too, whatever its category', async () => {
    const [stopped, willing] = [await contact(), await contact()];
    const [template] = z
      .object({ data: z.array(z.object({ id: z.int() })) })
      .parse(
        (await fixture.testApp.call({ method: 'GET', path: '/api/v1/templates', token: company.tokens.member, query: { name: 'hello' } }))
          .body,
      ).data;
    for (const { id, phone } of [stopped, willing])
      expect(
        await queueTemplate(
          company.id,
          { phone, name: undefined, template: { templateId: template?.id ?? 0, components: [] }, requiresConsent: true },
          { operationId: `reminder:${id}`, startedAt: fixture.testApp.clock.now() },
        ),
      ).toBe('queued');
    const at = fixture.testApp.clock.now();
    await setConsent(company.id, stopped.id, { subscribed: false, source: 'keyword', at, evidence: 'stop' });
    await fixture.testApp.drain();
    expect(await outcomesOf(stopped.id)).toEqual([[messageStatuses.failed, 'recipient_opted_out']]);
    expect(await outcomesOf(willing.id)).toEqual([[messageStatuses.sent, undefined]]);
    expect([await fixture.ledger(stopped.phone), await fixture.ledger(willing.phone)]).toMatchObject([[], [{}]]);
  });

  test('a stop that comes while a due message is claimed is heeded, and a read that fails gives the claim back', async () => {
    const [stopped, unread] = [await contact(), await contact()];
    const scheduled_at = new Date(fixture.testApp.clock.now() + 120_000).toISOString();
    for (const { phone } of [stopped, unread])
      resultOf(await post('template', { phone, scheduled_at, template_name: 'sale', variables: ['Ada'] }));
    const claimKey = `"C#${company.id}#CV#${stopped.id}"`;
    const { pk, sk } = contactEntity.key({ companyId: company.id, id: unread.id });
    let [hasStopped, failures] = [false, 0];
    using _meanwhile = fixture.testApp.onTable(async ({ command, input, when }) => {
      if (when === 'after' && command === 'UpdateItem' && JSON.stringify(input).includes(claimKey) && !hasStopped) {
        hasStopped = true;
        const at = fixture.testApp.clock.now();
        await setConsent(company.id, stopped.id, { subscribed: false, source: 'keyword', at, evidence: 'stop' });
      }
      if (when === 'before' && command === 'GetItem' && JSON.stringify(input['Key']) === JSON.stringify({ pk, sk }) && failures++ === 0)
        throw tableError('ValidationException');
    });
    await fixture.testApp.passTime(180);
    expect([hasStopped, failures > 1]).toEqual([true, true]);
    expect(await outcomesOf(stopped.id)).toEqual([[messageStatuses.failed, 'recipient_opted_out']]);
    expect(await outcomesOf(unread.id)).toEqual([[messageStatuses.sent, undefined]]);
    expect([await fixture.ledger(stopped.phone), await fixture.ledger(unread.phone)]).toMatchObject([[], [{}]]);
  });

  const optOutSeeds = runSize(3, 200);

  test(`an opt-out at any step between scheduling and sending is heeded, faults on the way or not (${optOutSeeds} seeds)`, {
    timeout: 60_000 + optOutSeeds * 5_000,
  }, async () => {
    const outside = AsyncLocalStorage.snapshot();
    let heeded = 0;
    for (const seed of seedsFrom(1, optOutSeeds)) {
      const random = seeded(seed);
      const { id, phone } = await contact();
      const scheduled_at = new Date(fixture.testApp.clock.now() + 60_000).toISOString();
      resultOf(await post('template', { phone, scheduled_at, template_name: 'sale', variables: ['Ada'] }));
      const [stopsAt, failsAt] = [Math.floor(random() * 30), Math.floor(random() * 30)];
      const hadFault = random() < 0.5;
      let failsLeft = hadFault ? 1 : 0;
      const conversation = `"C#${company.id}#CV#${id}"`;
      const contactKey = JSON.stringify(contactEntity.key({ companyId: company.id, id }));
      let [step, isClaimed, isRead, isStopping, wasInTime] = [0, false, false, false, false];
      const stop = async (): Promise<void> => {
        isStopping = true;
        wasInTime = !isRead;
        // as a request of its own, not with the permissions of the worker that it comes between
        await outside(() =>
          setConsent(company.id, id, { subscribed: false, source: 'keyword', at: fixture.testApp.clock.now(), evidence: 'stop' }),
        );
        isStopping = false;
      };
      {
        using _steps = fixture.testApp.onTable(async ({ command, input, when }) => {
          if (isStopping) return;
          const at = step++;
          if (at === stopsAt) await stop();
          // a worker's call: of a schedule that fails nothing is left to deliver again
          const isOwn = JSON.stringify(input).includes(conversation) || JSON.stringify(input['Key']) === contactKey;
          if (when === 'before' && isOwn && failsLeft > 0 && at >= failsAt) {
            failsLeft--;
            throw tableError('ValidationException');
          }
          if (when !== 'after') return;
          if (command === 'UpdateItem' && JSON.stringify(input).includes(conversation)) isClaimed = true;
          if (command === 'GetItem' && isClaimed && JSON.stringify(input['Key']) === contactKey) isRead = true;
        });
        await fixture.testApp.passTime(90);
      }
      await fixture.testApp.passTime(120);
      const [sent, outcomes] = [await fixture.ledger(phone), await outcomesOf(id)];
      if (wasInTime) {
        heeded++;
        // a worker that fails between its claim and the result leaves a message whose outcome is unknown
        const ends = ['recipient_opted_out', ...(hadFault && failsLeft === 0 ? ['ambiguous_send'] : [])];
        expect([seed, sent.length, outcomes.length]).toEqual([seed, 0, 1]);
        expect(ends.map((code) => [messageStatuses.failed, code])).toContainEqual(outcomes[0]);
      } else expect([seed, sent.length]).toEqual([seed, sent.length === 0 ? 0 : 1]);
    }
    expect(heeded).toBeGreaterThan(0);
  });

  const outcomesOf = async (contactId: number): Promise<unknown[]> =>
    (await fixture.messages(company.id)).filter((row) => row.contactId === contactId).map(({ status, error }) => [status, error?.code]);

  async function contact(): Promise<{ id: number; phone: string }> {
    const phone = newPhone();
    const answer = await fixture.testApp.call({
      method: 'POST',
      path: '/api/v1/contacts',
      token: company.tokens.member,
      body: { phone },
    });
    return { phone, id: z.object({ data: z.object({ id: z.int() }) }).parse(answer.body).data.id };
  }
});
