import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { readReceiptsQueue } from '../../functions/messaging/contract/inbound-queue.ts';
import { getSummary } from '../../functions/conversations/store/conversation.ts';
import { hourMs, minuteMs } from '../../shared/runtime/clock.ts';
import { roles } from '../../shared/contract/route.ts';
import { newCompany } from '../support/company.ts';
import { recountAll } from '../support/fault-injection.ts';
import { startTestApp } from '../support/test-app.ts';
import { inboxOf, phoneOf } from './fixture.ts';

/** A conversation that a user puts away: out of every view of what is to be done, and back by itself. */
const testApp = await startTestApp();
afterAll(() => testApp.stop());
const { receive, list } = inboxOf(testApp);
const company = await newCompany({ roles });
let nth = 0;
let id: number;

beforeEach(async () => {
  await receive(company, ++nth, testApp.clock.now());
  await testApp.drain();
  id = (await list(company, { search: phoneOf(nth) })).data[0]?.id ?? 0;
  await testApp.call({ method: 'PUT', path: `/api/v1/conversations/${id}/read`, token: company.tokens.member });
});

const put = (body: Record<string, unknown>, token = company.tokens.member) =>
  testApp.call({ method: 'PUT', path: `/api/v1/conversations/${id}`, token, body });
const timeIn = (ms: number): string => new Date(testApp.clock.now() + ms).toISOString();
const viewsOf = async (): Promise<string[]> => {
  const found = [];
  for (const view of ['open', 'unread', 'mine', 'unassigned', 'snoozed', 'automatic', 'closed']) {
    const answer = await testApp.call({
      method: 'GET',
      path: '/api/v1/conversations',
      query: { view, limit: 100 },
      token: company.tokens.member,
    });
    if ((answer.body as { data: { id: number }[] }).data.some((each) => each.id === id)) found.push(view);
  }
  return found;
};
const eventsOf = async () => {
  await testApp.drain();
  const answer = await testApp.call({
    method: 'GET',
    path: '/api/v1/events',
    query: { after: '0', subject: `conversation:${id}`, types: 'conversation.updated' },
    token: company.tokens.owner,
  });
  const { data } = answer.body as { data: { data: Record<string, unknown>; by: { kind: string; user_id: number | null } }[] };
  return data.map(({ data: state, by }) => [by.kind, by.user_id, state['status'], state['snoozed_until'] !== null, state['is_unread']]);
};
const stored = () => getSummary(company.id, id, { consistent: true });

describe('a conversation that is put away', () => {
  test('leaves the open views, and comes back by itself at its time, unread, with a line in the event log', async () => {
    const until = timeIn(2 * hourMs);
    const answer = await put({ snoozed_until: until });
    expect([answer.status, answer.body]).toMatchObject([200, { data: { status: 'open', snoozed_until: until.replace('Z', '000Z') } }]);
    await testApp.drain();
    expect(await viewsOf()).toEqual(['snoozed']);
    await testApp.passTime(2 * 3_600 - 60);
    expect(await viewsOf()).toEqual(['snoozed']);
    await testApp.passTime(120);
    expect(await viewsOf()).toEqual(['open', 'unread', 'unassigned']);
    expect((await stored())?.snoozedUntil).toBeUndefined();
    expect((await eventsOf()).slice(-2)).toEqual([
      ['user', company.users.member, 'open', true, false],
      ['system', null, 'open', false, true],
    ]);
    // there is no provider here, which takes the receipts of the same queue
    expect(testApp.deadLettersOf(readReceiptsQueue).filter((each) => JSON.stringify(each).includes('until_ms'))).toEqual([]);
    expect(await recountAll(testApp, new Set([company.id]))).toEqual([]);
  });

  test('comes back within a minute where that is its time, which the dispatcher has passed', async () => {
    await put({ snoozed_until: timeIn(30_000) });
    await testApp.drain();
    expect(await viewsOf()).toEqual(['snoozed']);
    await testApp.passTime(60);
    expect(await viewsOf()).toContain('open');
  });

  test('comes back at once when its contact writes, and then stays', async () => {
    await put({ snoozed_until: timeIn(hourMs) });
    await receive(company, nth, testApp.clock.now(), 'Still there?');
    await testApp.drain();
    expect(await viewsOf()).toEqual(['open', 'unread', 'unassigned']);
    expect((await eventsOf()).at(-1)).toEqual(['customer', null, 'open', false, true]);
    await testApp.call({ method: 'PUT', path: `/api/v1/conversations/${id}/read`, token: company.tokens.member });
    await testApp.passTime(3_700);
    expect(await viewsOf()).toEqual(['open', 'unassigned']);
  });

  test('is brought back by null, ended by closing, and opened where it was closed', async () => {
    await put({ snoozed_until: timeIn(hourMs), assigned_to: company.users.member });
    await testApp.drain();
    expect(await viewsOf()).toEqual(['snoozed']);
    await put({ snoozed_until: null });
    await testApp.drain();
    expect(await viewsOf()).toEqual(['open', 'mine']);
    await put({ status: 'closed' });
    expect((await put({ snoozed_until: timeIn(hourMs) })).body).toMatchObject({ data: { status: 'open' } });
    await put({ status: 'closed' });
    expect((await stored())?.snoozedUntil).toBeUndefined();
    await testApp.passTime(3_700);
    expect(await viewsOf()).toEqual(['closed']);
  });

  test('comes back at the last of several times, and an answer of ours leaves it away', async () => {
    await put({ snoozed_until: timeIn(10 * minuteMs) });
    await put({ snoozed_until: timeIn(hourMs) });
    await testApp.call({
      method: 'POST',
      path: '/api/v1/messages/text',
      token: company.tokens.member,
      body: { contact_id: id, message: 'Tomorrow' },
    });
    await testApp.passTime(1_200);
    expect(await viewsOf()).toEqual(['snoozed']);
    await testApp.passTime(3_000);
    expect(await viewsOf()).toContain('open');
  });

  test('several at once, of which the ids of none are named', async () => {
    const answer = await testApp.call({
      method: 'POST',
      path: '/api/v1/conversations/bulk',
      token: company.tokens.member,
      body: { ids: [id, 999_999], snoozed_until: timeIn(hourMs) },
    });
    expect(answer.body).toMatchObject({ data: { updated: [id], not_found: [999_999] } });
    await testApp.drain();
    expect(await viewsOf()).toEqual(['snoozed']);
  });

  test.each([
    ['a time that is over', () => ({ snoozed_until: timeIn(-minuteMs) })],
    ['now', () => ({ snoozed_until: timeIn(0) })],
    ['more than a year', () => ({ snoozed_until: timeIn(366 * 24 * hourMs) })],
    ['a time without an offset', () => ({ snoozed_until: '2036-01-01T10:00:00' })],
    ['a day alone', () => ({ snoozed_until: '2036-01-01' })],
    ['no time', () => ({ snoozed_until: 'tomorrow' })],
    ['a time for one that is closed', () => ({ snoozed_until: timeIn(hourMs), status: 'closed' })],
  ])('%s is 422 and names the field, for one and for several', async (_, body) => {
    for (const answer of [
      await put(body()),
      await testApp.call({
        method: 'POST',
        path: '/api/v1/conversations/bulk',
        token: company.tokens.member,
        body: { ids: [id], ...body() },
      }),
    ])
      expect([answer.status, Object.keys((answer.body as { errors: object }).errors)]).toEqual([422, ['snoozed_until']]);
    expect((await stored())?.snoozedUntil).toBeUndefined();
  });

  test('a viewer puts nothing away', async () => {
    expect((await put({ snoozed_until: timeIn(hourMs) }, company.tokens.viewer)).status).toBe(403);
  });
});
