import { afterAll, describe, expect, test } from 'vitest';
import { ensureSender } from '../../functions/contacts/service/ensure-sender.ts';
import type { Answer } from '../support/gateway-event.ts';
import { newPhone, refusedFields, startOutboundFixture } from './outbound-fixture.ts';
import { only, problemOf, resultOf } from './fixture.ts';

const { fixture, company, post, sentFor } = await startOutboundFixture();
afterAll(() => fixture.stop());

describe('texts, quick replies and calls to action', () => {
  test('a text, with its link shown', async () => {
    const { sent, stored } = await sentFor('text', { message: 'See https://example.com 🎉' });
    expect(sent).toEqual({ type: 'text', text: { preview_url: true, body: 'See https://example.com 🎉' } });
    expect(stored).toMatchObject({ type: 1, subtype: 'text', value: 'See https://example.com 🎉', status: 2 });
  });

  test('header and footer of a plain text become paragraphs', async () => {
    const { sent } = await sentFor('text', { message: 'B', header: 'A', footer: 'C' });
    expect(sent).toEqual({ type: 'text', text: { preview_url: false, body: 'A\n\nB\n\nC' } });
  });

  test('quick replies with header and footer; ids that were left out are made', async () => {
    const { sent, stored, answer } = await sentFor('text', {
      message: 'Choose',
      header: 'H',
      footer: 'F',
      buttons: [{ id: 'a', title: 'One' }, { title: 'Two' }, { id: 3, title: 'Three' }],
    });
    expect(sent).toEqual({
      type: 'interactive',
      interactive: {
        type: 'button',
        header: { type: 'text', text: 'H' },
        body: { text: 'Choose' },
        footer: { text: 'F' },
        action: {
          buttons: [
            { type: 'reply', reply: { id: 'a', title: 'One' } },
            { type: 'reply', reply: { id: 'btn_2', title: 'Two' } },
            { type: 'reply', reply: { id: '3', title: 'Three' } },
          ],
        },
      },
    });
    expect(stored).toMatchObject({ type: 1, subtype: 'buttons', value: 'Choose' });
    const { contact_id, message_id } = resultOf(answer);
    const listed = await fixture.testApp.call({
      method: 'GET',
      path: `/api/v1/conversations/${contact_id}/messages`,
      token: company.tokens.member,
    });
    expect(listed.body).toMatchObject({ data: [{ id: message_id, content: { interactive: sent['interactive'] } }] });
  });

  test('a call to action', async () => {
    const { sent } = await sentFor('text', { message: 'Look', button_name: 'Open', button_url: 'https://example.com/x' });
    expect(sent).toMatchObject({
      interactive: { type: 'cta_url', action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://example.com/x' } } },
    });
  });

  test('buttons that come as a JSON text in a query, and in brackets', async () => {
    for (const query of [{ buttons: '[{"id":"a","title":"One"}]' }, { 'buttons[0][id]': 'a', 'buttons[0][title]': 'One' }]) {
      const phone = newPhone();
      const answer = await fixture.testApp.call({
        method: 'GET',
        path: '/api/v1/messages/text',
        token: company.tokens.member,
        query: { phone, message: 'Choose', ...query },
      });
      expect(answer.status, answer.raw).toBe(200);
      expect(answer.headers).toMatchObject({ deprecation: expect.stringMatching(/^@\d+$/), sunset: expect.any(String) });
      expect(only(await fixture.ledger(phone)).payload).toMatchObject({
        interactive: { action: { buttons: [{ reply: { id: 'a', title: 'One' } }] } },
      });
    }
  });

  const button = (title: string, id?: string) => ({ title, ...(id ? { id } : {}) });
  test.each<[string, Record<string, unknown>, string[]]>([
    ['nothing to send', {}, ['message']],
    ['a text too long', { message: 'x'.repeat(4_097) }, ['message']],
    ['a text too long with its paragraphs', { message: 'x'.repeat(4_090), header: 'abcdefgh' }, ['message']],
    ['a text too long for buttons', { message: 'x'.repeat(1_025), buttons: [button('A')] }, ['message']],
    ['buttons without a text', { buttons: [button('A')] }, ['message']],
    ['four buttons', { message: 'x', buttons: ['A', 'B', 'C', 'D'].map((title) => button(title)) }, ['buttons']],
    ['a title too long', { message: 'x', buttons: [button('x'.repeat(21))] }, ['buttons.0.title']],
    ['a button without a title', { message: 'x', buttons: [{ id: 'a' }] }, ['buttons.0.title']],
    ['an id too long', { message: 'x', buttons: [button('A', 'i'.repeat(257))] }, ['buttons.0.id']],
    ['the same id twice', { message: 'x', buttons: [button('A', 'i'), button('B', 'i')] }, ['buttons']],
    ['an id that another gets by default', { message: 'x', buttons: [button('A', 'btn_2'), button('B')] }, ['buttons']],
    ['the same title twice', { message: 'x', buttons: [button('A', 'i'), button('A', 'j')] }, ['buttons']],
    ['buttons and a link', { message: 'x', buttons: [button('A')], button_name: 'N', button_url: 'https://example.com' }, ['buttons']],
    ['a link without a label', { message: 'x', button_url: 'https://example.com' }, ['button_name']],
    ['a label without a link', { message: 'x', button_name: 'Open' }, ['button_url']],
    ['a label too long', { message: 'x', button_name: 'x'.repeat(21), button_url: 'https://example.com' }, ['button_name']],
    ['a link that is no https', { message: 'x', button_name: 'N', button_url: 'http://example.com' }, ['button_url']],
    ['a header too long', { message: 'x', header: 'h'.repeat(61) }, ['header']],
    ['a footer too long', { message: 'x', footer: 'h'.repeat(61) }, ['footer']],
    ['a file that is a text', { message: 'x', image: 'hello' }, ['image']],
    ['buttons that are a text', { message: 'x', buttons: 'A' }, ['buttons']],
    ['a time that is none', { message: 'x', scheduled_at: 'soon' }, ['scheduled_at']],
    ['a time long past', { message: 'x', scheduled_at: '2020-01-01T00:00:00Z' }, ['scheduled_at']],
    ['a zone that is none', { message: 'x', timezone: 'Mars/Base' }, ['timezone']],
  ])('%s is refused at its field', async (_, fields, errors) => {
    expect(refusedFields(await post('text', fields))).toEqual(errors);
  });
});

describe('lists', () => {
  const rows = (count: number, from = 0) =>
    Array.from({ length: count }, (_, index) => ({ id: `r${from + index}`, title: `Row ${from + index}` }));
  const list = (sections: unknown[], button = 'Open') => ({ message: 'Pick', action: { button, sections } });

  test('sections and rows, header and footer', async () => {
    const { sent, stored } = await sentFor('list', {
      ...list([
        { title: 'First', rows: [{ id: 'a', title: 'A', description: 'The first' }] },
        { title: 'Second', rows: rows(9) },
      ]),
      header: 'H',
      footer: 'F',
    });
    expect(sent).toMatchObject({
      type: 'interactive',
      interactive: {
        type: 'list',
        header: { type: 'text', text: 'H' },
        body: { text: 'Pick' },
        footer: { text: 'F' },
        action: {
          button: 'Open',
          sections: [{ title: 'First', rows: [{ id: 'a', title: 'A', description: 'The first' }] }, { title: 'Second' }],
        },
      },
    });
    expect(stored).toMatchObject({ type: 1, subtype: 'list', value: 'Pick' });
  });

  test('the action as a JSON text in a query', async () => {
    const query = { phone: newPhone(), message: 'Pick', action: JSON.stringify(list([{ rows: rows(1) }]).action) };
    const answer = await fixture.testApp.call({ method: 'GET', path: '/api/v1/messages/list', token: company.tokens.member, query });
    expect(answer.status, answer.raw).toBe(200);
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ['no action', { message: 'x' }, ['action']],
    ['no text', { action: list([{ rows: rows(1) }]).action }, ['message']],
    ['no sections', list([]), ['action.sections']],
    [
      'eleven sections',
      list(Array.from({ length: 11 }, (_, index) => ({ title: `S${index}`, rows: rows(1, index) }))),
      ['action.sections'],
    ],
    ['a section without rows', list([{ rows: [] }]), ['action.sections.0.rows']],
    [
      'eleven rows in all',
      list([
        { title: 'A', rows: rows(6) },
        { title: 'B', rows: rows(5, 6) },
      ]),
      ['action.sections'],
    ],
    [
      'the same row id twice',
      list([
        { title: 'A', rows: rows(1) },
        { title: 'B', rows: rows(1) },
      ]),
      ['action.sections'],
    ],
    ['two sections, one without a title', list([{ title: 'A', rows: rows(1) }, { rows: rows(1, 1) }]), ['action.sections.1.title']],
    ['a button too long', list([{ rows: rows(1) }], 'b'.repeat(21)), ['action.button']],
    ['a section title too long', list([{ title: 't'.repeat(25), rows: rows(1) }]), ['action.sections.0.title']],
    ['a row title too long', list([{ rows: [{ id: 'a', title: 't'.repeat(25) }] }]), ['action.sections.0.rows.0.title']],
    [
      'a row description too long',
      list([{ rows: [{ id: 'a', title: 't', description: 'd'.repeat(73) }] }]),
      ['action.sections.0.rows.0.description'],
    ],
    ['a row id too long', list([{ rows: [{ id: 'i'.repeat(201), title: 't' }] }]), ['action.sections.0.rows.0.id']],
  ])('%s is refused at its field', async (_, fields, errors) => {
    expect(refusedFields(await post('list', fields))).toEqual(errors);
  });
});

describe('a closed window', () => {
  test('is a warning, unless the call or the company demands an open one; then templates are suggested', async () => {
    expect(resultOf(await post('text', { message: 'Hi' })).warnings).toHaveLength(1);
    const refused = problemOf(await post('text', { message: 'Hi', window_policy: 'enforce' }));
    expect(refused.code).toBe('window_closed');
    expect(refused.details?.['suggested_templates']).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'hello', category: 'UTILITY' })]),
    );
    expect((await post('template', { template_name: 'hello', window_policy: 'enforce' })).status).toBe(200);
  });
});

describe('a reply and a reaction', () => {
  const template = { template_name: 'hello' };
  const list = { message: 'Pick', action: { button: 'Open', sections: [{ rows: [{ id: 'a', title: 'A' }] }] } };
  const viewOf = async (answer: Answer) => {
    const { contact_id, message_id } = resultOf(answer);
    const query = { contact_id: String(contact_id) };
    const shown = await fixture.testApp.call({
      method: 'GET',
      path: `/api/v1/messages/${message_id}`,
      token: company.tokens.member,
      query,
    });
    return (shown.body as { data: Record<string, unknown> }).data;
  };

  test.each<[string, Record<string, unknown>]>([
    ['text', { message: 'Yes' }],
    ['list', list],
    ['location', { latitude: 1, longitude: 2 }],
    ['template', template],
  ])('a %s quotes a message by its wamid or by its id, and is shown with it', async (path, fields) => {
    const phone = newPhone();
    const first = resultOf(await post('text', { phone, message: 'First' }));
    for (const context_message_id of [first.message_wamid, first.message_id]) {
      const answer = await post(path, { phone, ...fields, context_message_id });
      expect(answer.status, answer.raw).toBe(200);
      expect((await fixture.ledger(phone)).at(-1)?.payload).toMatchObject({ context: { message_id: first.message_wamid } });
      expect(await viewOf(answer)).toMatchObject({ context_message_id: first.message_wamid });
    }
    expect(refusedFields(await post(path, { phone, ...fields, context_message_id: 123 }))).toEqual(['context_message_id']);
    expect(refusedFields(await post(path, { ...fields, context_message_id: first.message_id }))).toEqual(['context_message_id']);
  });

  test('a reaction names its message, is taken back by an empty one, and is shown on the message it is about', async () => {
    const phone = newPhone();
    const first = resultOf(await post('text', { phone, message: 'First' }));
    const put = await post('reaction', { phone, message_id: first.message_id, emoji: '❤️' });
    const back = await post('reaction', { phone: undefined, contact_id: first.contact_id, message_id: first.message_wamid, emoji: '' });
    const reactions = (await fixture.ledger(phone)).slice(1).map(({ payload }) => payload);
    expect(reactions).toMatchObject([
      { type: 'reaction', reaction: { message_id: first.message_wamid, emoji: '❤️' } },
      { type: 'reaction', reaction: { message_id: first.message_wamid, emoji: '' } },
    ]);
    expect(reactions.map((payload) => payload['context'])).toEqual([undefined, undefined]);
    expect(await viewOf(put)).toMatchObject({ subtype: 'reaction', value: '❤️', context_message_id: first.message_wamid });
    expect(await viewOf(back)).toMatchObject({ subtype: 'reaction_removed', value: '' });
    for (const emoji of ['yes', 'x👍', undefined, 5])
      expect(refusedFields(await post('reaction', { phone, message_id: first.message_id, emoji }))).toEqual(['emoji']);
    expect(refusedFields(await post('reaction', { message_id: first.message_id, emoji: '👍' }))).toEqual(['message_id']);
  });
});

describe('a location', () => {
  test('goes with its name and address, and is shown as a place', async () => {
    const place = { latitude: 52.5163, longitude: '13.3777', name: 'Brandenburg Gate', address: 'Pariser Platz' };
    const { sent, stored } = await sentFor('location', place);
    expect(sent).toEqual({ type: 'location', location: { ...place, longitude: 13.3777 } });
    expect(stored).toMatchObject({ type: 3, subtype: 'location', value: '52.5163,13.3777' });
    for (const [field, value] of Object.entries({ latitude: 90.1, longitude: -181 }))
      expect(refusedFields(await post('location', { latitude: 1, longitude: 1, [field]: value }))).toEqual([field]);
  });
});

describe('a contact whose phone is hidden', () => {
  test('is sent to by its id or its user id, in every form; one with a phone by its phone', async () => {
    const contact_id = (await ensureSender(company.id, { userId: 'US.5501' })).contactId;
    const known = resultOf(await post('text', { message: 'x' })).contact_id;
    const byApi = (path: string, body: Record<string, unknown>) =>
      fixture.testApp.call({ method: 'POST', path: `/api/v1/messages/${path}`, token: company.tokens.member, body });
    for (const [path, fields] of [
      ['text', { message: 'Hi' }],
      ['template', { template_name: 'hello' }],
      ['location', { latitude: 1, longitude: 2 }],
    ] as const)
      for (const recipient of [{ contact_id }, { user_id: 'US.5501' }]) {
        const answer = await byApi(path, { ...recipient, ...fields });
        expect(answer.status, answer.raw).toBe(200);
        expect(resultOf(answer).contact_id).toBe(contact_id);
      }
    const sent = await fixture.ledger('US.5501');
    expect(sent.map(({ payload }) => [payload['recipient'], payload['to']])).toEqual(Array(6).fill(['US.5501', undefined]));
    expect((await byApi('text', { contact_id: known, message: 'Hi' })).status).toBe(200);
    for (const [recipient, field] of [
      [{ contact_id: 999_999 }, 'contact_id'],
      [{ user_id: 'US.none' }, 'user_id'],
      [{}, 'phone'],
      [{ contact_id, phone: newPhone() }, 'contact_id'],
    ] as const)
      expect(refusedFields(await byApi('text', { ...recipient, message: 'Hi' }))).toEqual([field]);
  });
});
