import { expect, test } from 'vitest';
import * as z from 'zod';
import { customer, moveClock, openFixture, wabaId } from './fixture.ts';

const dayMs = 86_400_000;
const seconds = (atMs: number): number => Math.floor(atMs / 1_000);
const path = (query: Record<string, string | number>) =>
  `/v23.0/${wabaId}/template_analytics?${new URLSearchParams({
    start: String(seconds(Date.now() - dayMs)),
    end: String(seconds(Date.now())),
    granularity: 'daily',
    template_ids: '[1]',
    ...Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
  }).toString()}`;
const answer = z.object({ data: z.array(z.looseObject({ data_points: z.array(z.looseObject({})) })) });

/** A provider that has sent one template, which was answered by its button. */
const sentOnce = async (category = 'MARKETING') => {
  const fixture = await openFixture();
  const buttons = { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Yes' }] };
  const code = { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] };
  const components = [{ type: 'BODY', text: 'Coming?' }, category === 'AUTHENTICATION' ? code : buttons];
  const templates = [{ id: '1', name: 'party', language: 'en', category, components }];
  expect((await fixture.control('PUT', 'templates', { waba_id: wabaId, templates })).status).toBe(200);
  const parameters = [{ type: 'text', text: '123456' }];
  const template = {
    name: 'party',
    language: { code: 'en' },
    ...(category === 'AUTHENTICATION' && {
      components: [
        { type: 'body', parameters },
        { type: 'button', sub_type: 'url', index: '0', parameters },
      ],
    }),
  };
  expect((await fixture.send({ type: 'template', template })).body.error).toBeUndefined();
  moveClock(300);
  await fixture.quiet();
  await fixture.control('POST', 'inbound', { company_id: 1, from: customer, type: 'button', button: { text: 'Yes' } });
  await fixture.quiet();
  const points = async (query: Record<string, string | number> = {}) =>
    answer.parse((await fixture.call('GET', path(query))).body).data.flatMap((each) => each.data_points);
  return { ...fixture, points };
};

test('counts what was sent, reported and pressed; reads and presses are 0 a week later', async () => {
  const { points } = await sentOnce();
  const clicked = [{ type: 'quick_reply_button', button_content: 'Yes', count: 1 }];
  expect(await points()).toMatchObject([
    { template_id: '1', sent: 1, delivered: 1, read: 1, clicked, cost: [{ type: 'amount_spent' }, {}] },
  ]);
  expect(Object.keys((await points({ metric_types: 'sent,read' }))[0] ?? {})).toEqual(['template_id', 'start', 'end', 'sent', 'read']);
  expect(await points({ template_ids: '[2]' })).toEqual([]);
  moveClock(8 * dayMs);
  expect(await points({ start: seconds(Date.now() - 20 * dayMs) })).toMatchObject([
    { sent: 1, delivered: 1, read: 0, clicked: [{ count: 0 }] },
  ]);
});

test('counts no presses of codes', async () => {
  const { points } = await sentOnce('AUTHENTICATION');
  expect(await points()).toMatchObject([{ sent: 1 }]);
  expect((await points())[0]).not.toHaveProperty('clicked');
});

test.each<[string, Record<string, string | number>]>([
  ['days beyond the last 90', { start: seconds(Date.now() - 91 * dayMs) }],
  ['an end before its start', { end: seconds(Date.now() - 5 * dayMs) }],
  ['another granularity', { granularity: 'monthly' }],
  ['no template', { template_ids: '[]' }],
  ['more than ten templates', { template_ids: JSON.stringify(Array.from({ length: 11 }, (_, id) => id)) }],
  ['no start', { start: '' }],
])('refused: %s', async (_what, query) => {
  const { call } = await openFixture();
  expect(await call('GET', path(query))).toMatchObject({ status: 400, body: { error: { code: 100 } } });
});

test.each([
  ['not_enabled', 200007],
  ['not_offered', 200005],
])('refused on demand as %s, and to a token of another account always', async (template_analytics, code) => {
  const { call, control } = await openFixture();
  expect((await control('PUT', 'faults', { template_analytics })).status).toBe(200);
  expect((await call('GET', path({}))).body.error).toMatchObject({ code });
  expect((await call('GET', path({}), undefined, 'a token of no one')).status).toBe(401);
});
