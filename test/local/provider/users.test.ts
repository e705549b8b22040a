import { expect, test } from 'vitest';
import * as z from 'zod';
import { customer, firstNumber, moveClock, openFixture, phoneNumberId, text } from './fixture.ts';

const dayMs = 86_400_000;
const write = { company_id: 1, from: `+${customer}`, name: 'Ann', text: 'Hi' };
const named = { phone: customer, username: 'ann.b' };
const second = { phone_number_id: '100200300400501', display_phone_number: '+1 555 078 3882', access_token: 'token-of-the-second-number' };
const modern = { webhook_version: 'v24.0' };

const names = z.looseObject({ from: z.string().optional(), from_user_id: z.string().optional() });
const start = async (registration: Record<string, unknown> = modern) => {
  const fixture = await openFixture(registration);
  const { control, receiver, quiet } = fixture;
  /** What the number is shown of who writes. */
  const written = async (more: Record<string, unknown> = {}) => {
    expect((await control('POST', 'inbound', { ...write, ...more })).status).toBe(200);
    await quiet();
    const [contact] = (receiver.changes().at(-1)?.value.contacts ?? []) as unknown[];
    return { message: names.parse(receiver.messages().at(-1)), contact };
  };
  return { ...fixture, written, name: (user: Record<string, unknown> = named) => control('PUT', 'users', user) };
};

test('a user without a name, and one whose name is reserved only, is shown with the phone', async () => {
  const { written, name } = await start();
  expect((await written()).message).toMatchObject({ from: customer, from_user_id: expect.any(String) });
  expect((await name({ ...named, reserved: true })).status).toBe(200);
  const { contact } = await written();
  expect(contact).toEqual({ profile: { name: 'Ann' }, wa_id: customer, user_id: expect.any(String) });
});

test('a user with a name is shown without the phone to who never met it, with id and name in webhooks of any version', async () => {
  const { written, name } = await start({});
  await name();
  const { message, contact } = await written();
  expect(message.from).toBeUndefined();
  expect(contact).toEqual({ profile: { name: 'Ann', username: 'ann.b' }, user_id: message.from_user_id });
});

test('a name can be changed and given up, and is that of one user alone', async () => {
  const { written, name } = await start();
  await name();
  expect((await name({ phone: '16505550112', username: 'ann.b' })).status).toBe(400);
  expect((await name({ ...named, username: 'Ann B' })).status).toBe(400);
  await name({ ...named, username: 'ann.c' });
  expect((await written()).contact).toMatchObject({ profile: { username: 'ann.c' } });
  expect((await name({ phone: '16505550112', username: 'ann.b' })).status).toBe(200);
  await name({ ...named, username: null });
  expect((await written()).message.from).toBe(customer);
});

test('without a contact book the phone is shown for 30 days after the number wrote to it, and to no other number', async () => {
  const { control, receiver, send, written, name, quiet } = await start({ ...modern, contact_book: false });
  await control('PUT', 'numbers', { ...firstNumber(receiver.url), ...modern, ...second, contact_book: false });
  await name();
  await control('PUT', 'faults', { enforce_window: false });
  expect((await send(text)).status).toBe(200);
  await quiet();
  expect((await written()).message.from).toBe(customer);
  expect((await written({ phone_number_id: second.phone_number_id })).message.from).toBeUndefined();
  moveClock(29 * dayMs);
  expect((await written()).message.from).toBe(customer);
  moveClock(60 * dayMs);
  expect((await written()).message.from).toBeUndefined();
});

test('with a contact book the phone is shown to all numbers of the portfolio until it is removed from it, and to no other portfolio', async () => {
  const { provider, control, call, receiver, send, written, name, quiet } = await start();
  await control('PUT', 'numbers', { ...firstNumber(receiver.url), ...modern, ...second });
  const foreign = { company_id: 2, phone_number_id: '100200300400502', display_phone_number: '+1 555 078 3883', access_token: 'token-3' };
  await control('PUT', 'numbers', { ...firstNumber(receiver.url), ...modern, ...foreign });
  await name();
  await control('PUT', 'faults', { enforce_window: false });
  await send(text);
  await quiet();
  moveClock(40 * dayMs);
  const shown = await written({ phone_number_id: second.phone_number_id });
  expect(shown.message.from).toBe(customer);
  const other = await written({ company_id: 2 });
  expect(other.message.from).toBeUndefined();
  expect(other.message.from_user_id).not.toBe(shown.message.from_user_id);
  const remove = (bsuid: string) =>
    call('DELETE', `/v24.0/${phoneNumberId}/contact_book?messaging_product=whatsapp&bsuid=${encodeURIComponent(bsuid)}`);
  const id = String(shown.message.from_user_id);
  expect((await remove('US.ENT.1')).body.error?.code).toBe(131009);
  await control('PUT', 'faults', { contact_book_error: 131016 });
  expect((await remove(id)).body.error?.code).toBe(131016);
  await control('PUT', 'faults', {});
  expect((await remove(id)).body).toMatchObject({ messaging_product: 'whatsapp', success: true, deleted: true });
  expect((await remove(id)).body).toMatchObject({ success: true, deleted: false });
  moveClock(80 * dayMs);
  expect((await written()).message.from).toBeUndefined();
  expect(provider.pendingNow()).toBe(0);
});

test('statuses name the id and what may be shown; one that failed names what the message was sent to', async () => {
  const { call, control, receiver, written, name, quiet } = await start();
  await name();
  const { message } = await written();
  const userId = String(message.from_user_id);
  const send = (to: Record<string, unknown>) =>
    call('POST', `/v24.0/${phoneNumberId}/messages`, { messaging_product: 'whatsapp', ...to, ...text });
  await send({ recipient: userId });
  await quiet();
  const [sent, delivered] = receiver.changes().filter(({ value }) => value.statuses !== undefined);
  expect(sent?.value).toMatchObject({ contacts: [{ user_id: userId }], statuses: [{ status: 'sent', recipient_user_id: userId }] });
  expect(JSON.stringify([sent, delivered])).not.toContain(customer);
  expect(delivered?.value).toMatchObject({ contacts: [{ profile: { username: 'ann.b' }, user_id: userId }] });
  await control('PUT', 'faults', { error_for: { [customer]: 131026 } });
  await send({ to: customer });
  await quiet();
  const failed = receiver.changes().at(-1)?.value;
  expect(failed).toMatchObject({ statuses: [{ status: 'failed', recipient_id: customer }] });
  expect(JSON.stringify(failed)).not.toContain(userId);
});

test('a user who changes the phone has another id: who is not shown the phone is posted the former and the new id, without a sender', async () => {
  const { control, receiver, written, name, quiet } = await start();
  await name();
  const { message: before } = await written();
  const change = await control('POST', 'users/phone', { phone: customer, to: '16505550199' });
  expect(change.body.data).toEqual({ notified: [phoneNumberId] });
  await quiet();
  const { message: after } = await written({ from: '16505550199' });
  expect(receiver.messages().at(-2)).toEqual({
    id: expect.any(String),
    timestamp: expect.any(String),
    type: 'system',
    system: {
      type: 'user_changed_user_id',
      body: expect.any(String),
      previous_user_id: before.from_user_id,
      user_id: after.from_user_id,
    },
  });
  expect(after.from_user_id).not.toBe(before.from_user_id);
});

test('a user without a name who changes the phone is posted with both phones, and with both ids', async () => {
  const { control, receiver, written, quiet } = await start();
  const { message } = await written();
  await control('POST', 'users/phone', { phone: customer, to: '16505550199' });
  await quiet();
  expect(receiver.messages().at(-1)).toMatchObject({
    from: customer,
    system: { type: 'user_changed_number', wa_id: '16505550199', previous_user_id: message.from_user_id },
  });
});

test('an id of another portfolio gets nothing', async () => {
  const { call, control, receiver, written, quiet } = await start();
  const { message } = await written();
  const foreign = { company_id: 2, phone_number_id: '100200300400502', display_phone_number: '+1 555 078 3883', access_token: 'token-3' };
  await control('PUT', 'numbers', { ...firstNumber(receiver.url), ...modern, ...foreign });
  await control('PUT', 'faults', { enforce_window: false });
  const body = { messaging_product: 'whatsapp', recipient: message.from_user_id, ...text };
  await call('POST', `/v24.0/${foreign.phone_number_id}/messages`, body, 'token-3');
  await quiet();
  expect(receiver.statuses().at(-1)).toMatchObject({ status: 'failed', errors: [{ code: 131026 }] });
});

test.each(['refused', 'dropped'])('a user id in `to` is %s, as the settings have it', async (how) => {
  const { call, control, receiver, quiet } = await start();
  await control('PUT', 'faults', { user_id_in_to: how });
  const body = { messaging_product: 'whatsapp', to: 'US.123', ...text };
  expect((await call('POST', `/v24.0/${phoneNumberId}/messages`, body)).status).toBe(how === 'refused' ? 400 : 200);
  await quiet();
  expect(receiver.statuses()).toEqual([]);
});
