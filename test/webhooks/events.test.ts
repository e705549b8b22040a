import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProfile, issueKey } from '../../functions/account/service/verification-profiles.ts';
import { eventNames } from '../../functions/webhooks/contract/catalog.ts';
import { app } from '../../functions/app.ts';
import { providerEnvelope, providerPost, unwrap } from '../support/company.ts';
import { isSigned, startReceiver } from './receiver.ts';
import { dataOf, startFixture, type WebhookFixture } from './fixture.ts';

let fixture: WebhookFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

describe('the events that may be listened to', () => {
  it('are those that the contexts declare', () => {
    const declared = app.flatMap((context) => (context.events ?? []).map(({ name }) => name));
    expect(declared.filter((name) => !eventNames.includes(name as never))).toEqual([]);
    expect(eventNames.filter((name) => !declared.includes(name))).toEqual([]);
  });
});

describe('a listener to all', () => {
  it('hears what people write with their words, statuses, opt-outs, contacts, leads, tasks, products and orders as they happen', async () => {
    const me = await fixture.company();
    await using receiver = await startReceiver();
    const { secret } = await me.subscribe(receiver.url, ['*']);
    const received = async (): Promise<string[]> => {
      await fixture.testApp.drain();
      return receiver.received
        .splice(0)
        .map((each) => {
          expect(isSigned(each, secret)).toBe(true);
          return each.event;
        })
        .toSorted();
    };
    await me.receiveMessage('Is it in stock? 🎈');
    await fixture.testApp.drain();
    const event = receiver.received.find(({ event }) => event === 'message.received');
    expect(JSON.parse(event?.body ?? '{}')).toMatchObject({ data: { from: '4915112345678', value: 'Is it in stock? 🎈', media: null } });
    expect(await received()).toEqual(['contact.created', 'message.received']);
    dataOf(await me.call('POST', '/messages/text', { phone: '+4915112345678', message: 'Yes' }));
    expect(await received()).toEqual(['message.status']);
    dataOf(await me.call('PUT', '/contacts/1', { phone: '+4915112345678', subscribed: false }));
    expect(await received()).toEqual(['contact.opted_out', 'contact.updated']);
    dataOf(await me.call('PATCH', '/contacts/1', { city: 'Pune', add_groups: ['West'] }));
    await fixture.testApp.drain();
    expect(JSON.parse(receiver.received.at(-1)?.body ?? '{}')).toMatchObject({ data: { contact_id: 1, changed: ['city', 'groups'] } });
    expect(await received()).toEqual(['contact.updated']);
    await me.call('DELETE', '/contacts/1');
    expect(await received()).toEqual(['contact.deleted']);
    const product = await me.call('POST', '/shop/products', { name: 'Mug', price: 7.5 });
    const { id } = (product.body as { data: { id: number } }).data;
    expect(await received()).toEqual(['product.created']);
    await me.call('PUT', `/shop/products/${id}`, { name: 'Big mug' });
    expect(await received()).toEqual(['product.updated']);
    await me.call('DELETE', `/shop/products/${id}`);
    expect(await received()).toEqual(['product.deleted']);
  });

  it('receives with a message whether a bot may answer its contact, as it is then', async () => {
    const me = await fixture.company();
    await using receiver = await startReceiver();
    await me.subscribe(receiver.url, ['message.received']);
    const dataOfNext = async (text: string): Promise<unknown> => {
      await me.receiveMessage(text);
      await fixture.testApp.drain();
      const { data } = JSON.parse(receiver.received.splice(0).at(-1)?.body ?? '{}') as { data: Record<string, unknown> };
      return [data['value'], data['enabled_ai_bot']];
    };
    expect(await dataOfNext('One')).toEqual(['One', false]);
    await me.call('PATCH', '/contacts/1', { enabled_ai_bot: true });
    expect(await dataOfNext('Two')).toEqual(['Two', true]);
    await me.call('PATCH', '/contacts/1', { enabled_ai_bot: false });
    expect(await dataOfNext('Three')).toEqual(['Three', false]);
  });

  it('hears of a message what to act on: payloads, rows, items, places, phones, advertisements and the message that is meant', async () => {
    const me = await fixture.company();
    await using receiver = await startReceiver();
    await me.subscribe(receiver.url, ['message.received']);
    const meant = 'wamid.meant';
    const text = { type: 'text', text: { body: 'Hi' } };
    const received: [message: Record<string, unknown>, data: Record<string, unknown>][] = [
      [
        { type: 'button', button: { text: 'Talk to us', payload: 'TALK' }, context: { id: meant } },
        { subtype: 'button', value: 'Talk to us', content: { button: { payload: 'TALK' } }, context_message_id: meant },
      ],
      [
        { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: 'r1', title: 'Express' } } },
        { subtype: 'list_reply', value: 'Express', content: { list_reply: { id: 'r1' } } },
      ],
      [
        { type: 'order', order: { catalog_id: '1', product_items: [{ product_retailer_id: 'x', quantity: 2 }] } },
        { subtype: 'order', content: { order: { product_items: [{ product_retailer_id: 'x', quantity: 2 }] } } },
      ],
      [{ type: 'location', location: { latitude: 1.5, longitude: 2.5, name: 'Gate' } }, { content: { location: { name: 'Gate' } } }],
      [
        { type: 'contacts', contacts: [{ name: { formatted_name: 'Juan' }, phones: [{ wa_id: '573001234567' }] }] },
        { content: { contacts: [{ phones: [{ wa_id: '573001234567' }] }] } },
      ],
      [{ ...text, referral: { source_id: '9', ctwa_clid: 'A' } }, { content: { referral: { ctwa_clid: 'A' } } }],
      [{ ...text, group_id: 'G1' }, { content: { group_id: 'G1' } }],
      [
        { type: 'reaction', reaction: { message_id: meant, emoji: '👍' } },
        { subtype: 'reaction', value: '👍', context_message_id: meant },
      ],
      [
        { type: 'edit', edit: { original_message_id: meant, message: { type: 'text', text: { body: '20 boxes' } } } },
        { subtype: 'edit', value: '20 boxes', context_message_id: meant },
      ],
      [
        { type: 'revoke', revoke: { original_message_id: meant } },
        { subtype: 'revoke', context_message_id: meant },
      ],
    ];
    for (const [nth, [message, data]] of received.entries()) {
      const full = { id: `wamid.act-${nth}`, from: '4915112345678', timestamp: String(1_790_000_000 + nth), ...message };
      expect((await fixture.testApp.call(providerPost(me, providerEnvelope(me, { messages: [full] })))).status).toBe(200);
      await fixture.testApp.drain();
      const bodies = receiver.received.splice(0).map(({ body }) => (JSON.parse(body) as { data: unknown }).data);
      expect(bodies).toMatchObject([{ wamid: full.id, from: '4915112345678', ...data }]);
    }
  });

  it('hears what happens to leads and their tasks, each change once, with ids and states', async () => {
    const me = await fixture.company();
    await using receiver = await startReceiver();
    await me.subscribe(receiver.url, ['lead.*', 'task.*']);
    const received = async (): Promise<unknown[]> => {
      await fixture.testApp.drain();
      return receiver.received.splice(0).map(({ event, body }) => {
        const { data } = JSON.parse(body) as { data: { change?: string; outcome?: string; status?: string } };
        return [event, data.change, data.outcome ?? data.status];
      });
    };
    const made = { method: 'POST', path: '/api/v1/crm/pipelines', token: me.tokens.owner, body: { template: 'simple' } };
    const pipeline = dataOf<{ id: number; stages: { id: number }[] }>(await fixture.testApp.call(made));
    const contact = dataOf<{ id: number }>(await me.call('POST', '/contacts', { phone: '+4915112345999' }));
    const creation_key = '10000000-0000-4000-8000-00000000beef';
    const body = { contact_id: contact.id, pipeline_id: pipeline.id, title: 'A roof', creation_key };
    const lead = dataOf<{ id: number }>(await me.call('POST', '/crm/leads', body));
    dataOf(await me.call('POST', '/crm/leads', body));
    expect(await received()).toEqual([['lead.created', undefined, 'open']]);
    dataOf(await me.call('PUT', `/crm/leads/${lead.id}/stage`, { stage_id: pipeline.stages[1]?.id, version: 1 }));
    expect(await received()).toEqual([['lead.updated', 'stage.changed', 'won']]);
    const due_at = '2030-01-01T09:00:00Z';
    const task = dataOf<{ id: number }>(await me.call('POST', `/crm/leads/${lead.id}/tasks`, { title: 'Call', due_at }));
    expect(await received()).toEqual([['task.created', undefined, 'pending']]);
    dataOf(await me.call('PUT', `/crm/leads/${lead.id}/tasks/${task.id}/complete`, { version: 1, outcome: 'Reached' }));
    expect(await received()).toEqual([['task.updated', 'task.completed', 'completed']]);
  });

  it('hears whom a verification is about; the identifier lies in no item, queue, event of the bus or log in the clear', async () => {
    const me = await fixture.company();
    const phone = '+4915198765432';
    await using receiver = await startReceiver();
    const profile = unwrap(await createProfile(me.id, { name: 'Sign-in' }));
    const other = unwrap(await createProfile(me.id, { name: 'Other' }));
    const { public_key } = unwrap(await issueKey(me.id, profile.id, {}));
    const { id } = await me.subscribe(receiver.url, ['verification.*'], { profile_id: profile.id });
    await me.subscribe(receiver.url, ['verification.*'], { profile_id: other.id });
    const bodies: string[] = [];
    {
      using _watch = fixture.testApp.onQueue(({ input, when }) => {
        if (when === 'before') bodies.push(JSON.stringify(input['Entries']));
      });
      const requested = await fixture.testApp.call({
        method: 'POST',
        path: '/api/v1/verification/request',
        headers: { 'x-public-key': public_key },
        body: { identifier: phone },
      });
      expect(requested.status).toBe(200);
      await fixture.testApp.drain();
    }
    expect(receiver.received.map(({ event }) => event)).toEqual(['verification.requested']);
    const { event, data } = JSON.parse(receiver.received[0]?.body ?? '{}') as { event: string; data: Record<string, unknown> };
    expect([event, data]).toMatchObject(['verification.requested', { identifier: phone, profile_id: profile.id, status: 'pending' }]);
    expect(JSON.stringify(data)).not.toMatch(/code|token|trust/);
    const [delivery] = dataOf<{ request: { body: string } }[]>(await me.call('GET', `/webhooks/${id}/deliveries`));
    expect(delivery?.request.body).toBe(receiver.received[0]?.body);
    expect(bodies.length).toBeGreaterThan(0);
    const digits = phone.slice(1);
    const ours = (await fixture.testApp.dump()).filter((item) => String(item['kind']).startsWith('webhook'));
    for (const stored of [ours, bodies, fixture.testApp.events, fixture.testApp.logs]) expect(JSON.stringify(stored)).not.toContain(digits);
  });

  it('hears nothing of a verification whose call died before its request was stored, and of the next one once', async () => {
    const me = await fixture.company();
    await using receiver = await startReceiver();
    const profile = unwrap(await createProfile(me.id, { name: 'Sign-in' }));
    const { public_key } = unwrap(await issueKey(me.id, profile.id, {}));
    await me.subscribe(receiver.url, ['verification.requested']);
    const headers = { 'x-public-key': public_key };
    const request = () =>
      fixture.testApp.call({ method: 'POST', path: '/api/v1/verification/request', headers, body: { identifier: '+4915198760001' } });
    {
      using _death = fixture.testApp.onTable(({ command, input, when }) => {
        const item = (input as { Item?: Record<string, unknown> }).Item;
        if (when === 'before' && command === 'PutItem' && item?.['kind'] === 'verification-request') throw new Error('The process died.');
      });
      expect((await request()).status).toBe(500);
    }
    // the budget is written beside the request, and may still be on its way
    await expect
      .poll(async () => {
        const dump = await fixture.testApp.dump({ kind: 'verification-request-budget' });
        return dump.find(({ companyId }) => companyId === me.id)?.['last'];
      })
      .toMatchObject({ default: { id: expect.any(String) } });
    await fixture.testApp.drain();
    await fixture.pass(120, 30);
    expect(receiver.received).toEqual([]);
    const next = (await request()).body as { request_id: string };
    await fixture.testApp.drain();
    await fixture.pass(120, 30);
    expect(receiver.received.map(({ body }) => (JSON.parse(body) as { data: { request_id: string } }).data.request_id)).toEqual([
      next.request_id,
    ]);
  });
});
