import { afterAll, describe, expect, test } from 'vitest';
import { setConsent } from '../../functions/contacts/service/consent.ts';
import { contactIdOf } from '../support/contact-id.ts';
import { defaultKeywords, matchKeyword } from '../../functions/messaging/domain/keyword.ts';
import { inboundText, newCompany, providerPost, statusPost, type TestCompany } from '../support/company.ts';
import { only, resultOf, startFixture } from './fixture.ts';

const usual = { stop: undefined, start: undefined };

describe('a word of consent', () => {
  test.each(defaultKeywords)('of $language is known, whatever its case and the marks around it', ({ stop, start }) => {
    expect(stop.length).toBeGreaterThan(2);
    for (const word of stop)
      for (const text of [word, `  ${word.toUpperCase()}!! `, `"${word}".`])
        expect([text, matchKeyword(text, usual)]).toEqual([text, 'stop']);
    for (const word of start)
      for (const text of [word, `\n${word.toUpperCase()} `, `${word}…`]) expect([text, matchKeyword(text, usual)]).toEqual([text, 'start']);
  });

  test('is known in more than twenty languages, and none of them starts what another stops', () => {
    expect(defaultKeywords.length).toBeGreaterThanOrEqual(20);
    for (const { start } of defaultKeywords) for (const word of start) expect([word, matchKeyword(word, usual)]).toEqual([word, 'start']);
  });

  test.each([
    ['Arrêt', 'stop'],
    ['ARRET', 'stop'],
    ['arre\u0302t', 'stop'],
    ['desabonnement', 'stop'],
    ['Opt-Out', 'stop'],
    ['opt   out', 'stop'],
    ['ＳＴＯＰ', 'stop'],
    ['İPTAL', 'stop'],
    ['إِلْغَاء', 'stop'],
    ['توقــف', 'stop'],
    ['रोकें', 'stop'],
    ['退订。', 'stop'],
    ['\u200fstop\u200f', 'stop'],
    ['Stop it right now please', undefined],
    ['please stop', undefined],
    ['Can you stop by tomorrow?', undefined],
    ['stopwatch', undefined],
    ['stop stop stop stop', undefined],
    ['रोका', undefined],
    ['no', undefined],
    ['', undefined],
    ['!!!', undefined],
    ['🛑', undefined],
    [`stop${' '.repeat(200)}`, 'stop'],
    ['Start', 'start'],
  ])('%j is %s', (text, expected) => {
    expect(matchKeyword(text, usual)).toBe(expected);
  });

  test("a company's own list takes the place of the usual one", () => {
    const own = { stop: ['Genug jetzt'], start: [] };
    expect(['GENUG JETZT!', 'stop', 'start'].map((text) => matchKeyword(text, own))).toEqual(['stop', undefined, undefined]);
  });
});

const fixture = await startFixture();
afterAll(() => fixture.stop());
const { testApp } = fixture;
let serial = 0;
const nextPhone = (): string => String(4_917_000_000_000 + ++serial);

const receive = async (company: TestCompany, from: string, text: string, given: { id?: string; at?: number } = {}): Promise<void> => {
  const id = given.id ?? `wamid.word-${++serial}`;
  expect((await testApp.call(inboundText(company, { from, text, id, at: given.at ?? testApp.clock.now() }))).status).toBe(200);
  await testApp.drain({ disorder: { seed: serial, duplicate: 0.7, reorder: true } });
};
const contactOf = async (company: TestCompany, from: string) => {
  const id = await contactIdOf(company.id, { phone: from });
  const { body } = await testApp.call({ method: 'GET', path: `/api/v1/contacts/${id}`, token: company.tokens.owner });
  return (body as { data: { id: number; subscribed: boolean; marketing_blocked: boolean } }).data;
};
/** The events on the bus, each once: subscribers recognise a repetition by its id. */
const published = (company: TestCompany) => [
  ...new Set(
    testApp.events
      .filter(({ name, detail }) => name === 'contact.opted_out' && detail['company_id'] === company.id)
      .map(({ detail }) => detail['id']),
  ),
];

describe('a contact that writes STOP', () => {
  test('is unsubscribed with message and time as evidence, gets one reply, and causes one event', async () => {
    const company = await fixture.company();
    const from = nextPhone();
    const at = testApp.clock.now();
    for (let time = 0; time < 3; time++) await receive(company, from, 'Stop!', { id: 'wamid.stop', at });
    expect(await contactOf(company, from)).toMatchObject({ subscribed: false });
    expect(only(await fixture.items(company.id, 'consent'))).toMatchObject({
      aspect: 'subscribed',
      wanted: false,
      source: 'keyword',
      evidence: 'wamid.stop',
    });
    expect((await fixture.ledger(from)).map(({ payload }) => payload)).toMatchObject([
      { text: { body: expect.stringContaining('no more marketing messages') } },
    ]);
    expect(published(company)).toHaveLength(1);
  });

  test('twice gets one reply; START subscribes again with one event, and STOP works again', async () => {
    const company = await fixture.company();
    const from = nextPhone();
    for (const text of ['STOP', 'stop', 'START', 'start', 'STOP']) {
      await receive(company, from, text);
      testApp.clock.advance(5_000);
    }
    expect(await contactOf(company, from)).toMatchObject({ subscribed: false });
    expect((await fixture.items(company.id, 'consent')).map((item) => item['wanted'])).toEqual([false, true, false]);
    expect(await fixture.ledger(from)).toHaveLength(3);
    expect(published(company)).toHaveLength(2);
  });

  test('and then START, arriving in the other order and again, stays subscribed', async () => {
    const company = await fixture.company();
    const from = nextPhone();
    const at = testApp.clock.now() - 60_000;
    await receive(company, from, 'START', { id: 'wamid.b', at: at + 10_000 });
    await receive(company, from, 'STOP', { id: 'wamid.a', at });
    await receive(company, from, 'START', { id: 'wamid.b', at: at + 10_000 });
    await receive(company, from, 'STOP', { id: 'wamid.a', at });
    expect(await contactOf(company, from)).toMatchObject({ subscribed: true });
  });

  test('more than a day before it reaches us is unsubscribed and not written to', async () => {
    const company = await fixture.company();
    const from = nextPhone();
    await receive(company, from, 'baja', { at: testApp.clock.now() - 25 * 3_600_000 });
    expect(await contactOf(company, from)).toMatchObject({ subscribed: false });
    expect(await fixture.ledger(from)).toEqual([]);
  });

  test('after an API call subscribed them anew stays subscribed when the old STOP comes again', async () => {
    const company = await fixture.company();
    const from = nextPhone();
    const at = testApp.clock.now();
    await receive(company, from, 'STOP', { id: 'wamid.old', at });
    testApp.clock.advance(60_000);
    await testApp.call({ method: 'POST', path: '/api/v1/contacts', token: company.tokens.owner, body: { phone: from, subscribed: true } });
    await receive(company, from, 'STOP', { id: 'wamid.old', at });
    expect(await contactOf(company, from)).toMatchObject({ subscribed: true });
  });

  test('with a hidden phone gets the reply by user id', async () => {
    const company = await fixture.company();
    const userId = `DE.${++serial}11223344`;
    const message = {
      id: `wamid.scoped-${serial}`,
      from_user_id: userId,
      timestamp: Math.floor(testApp.clock.now() / 1_000),
      type: 'text',
    };
    const value = { messaging_product: 'whatsapp', messages: [{ ...message, text: { body: 'STOP' } }] };
    const post = providerPost(company, { entry: [{ id: company.number.wabaId, changes: [{ field: 'messages', value }] }] });
    expect((await testApp.call(post)).status).toBe(200);
    await testApp.drain({ disorder: { seed: serial, duplicate: 0.7, reorder: true } });
    const sent = (await fixture.ledger()).filter(({ to }) => to === userId);
    expect(sent.map(({ payload }) => payload)).toMatchObject([{ recipient: userId, text: { body: expect.stringContaining('no more') } }]);
  });

  test('in a longer text is not', async () => {
    const company = await fixture.company();
    const from = nextPhone();
    await receive(company, from, 'Please do not stop at the corner');
    expect(await contactOf(company, from)).toMatchObject({ subscribed: true });
    expect(await fixture.items(company.id, 'consent')).toEqual([]);
  });
});

describe("a company's own words", () => {
  const path = '/api/v1/conversations/keywords';

  test('and replies are set; null restores the defaults, an empty reply sends none', async () => {
    const company = await fixture.company({ roles: ['admin', 'owner'] });
    const set = (body: Record<string, unknown>) => testApp.call({ method: 'PUT', path, token: company.tokens.admin, body });
    const own = { stop: ['Genug', 'GENUG', 'ab mestellen'], stop_reply: 'Tschüss!' };
    expect((await set(own)).body).toMatchObject({
      data: { stop: ['GENUG', 'ab mestellen'], start: null, stop_reply: 'Tschüss!', start_reply: null },
    });
    const [a, b, c] = [nextPhone(), nextPhone(), nextPhone()];
    await receive(company, a, 'genug');
    await receive(company, b, 'STOP');
    expect([(await contactOf(company, a)).subscribed, (await contactOf(company, b)).subscribed]).toEqual([false, true]);
    expect((await fixture.ledger(a)).map(({ payload }) => payload)).toMatchObject([{ text: { body: 'Tschüss!' } }]);
    await set({ stop: null, stop_reply: '' });
    testApp.clock.advance(300_000);
    await receive(company, c, 'STOP');
    expect([(await contactOf(company, c)).subscribed, await fixture.ledger(c)]).toEqual([false, []]);
    expect((await testApp.call({ method: 'GET', path, token: company.tokens.owner })).body).toMatchObject({
      data: { stop: null, stop_reply: '' },
    });
  });

  test.each([
    [{ stop: ['far too many words here'] }, 'stop.0'],
    [{ start: ['ok', '!!!'] }, 'start.1'],
    [{ stop: 'STOP' }, 'stop'],
  ])('%j is 422', async (body, field) => {
    const company = await newCompany();
    const answer = await testApp.call({ method: 'PUT', path, token: company.tokens.owner, body });
    expect([answer.status, Object.keys((answer.body as { errors: object }).errors)]).toEqual([422, [field]]);
  });
});

describe('marketing stopped at the provider', () => {
  const preference = (company: TestCompany, from: string, value: string, seconds: number) =>
    providerPost(company, {
      entry: [
        {
          id: company.number.wabaId,
          changes: [
            {
              field: 'user_preferences',
              value: { user_preferences: [{ wa_id: from, category: 'marketing_messages', value, timestamp: seconds }] },
            },
          ],
        },
      ],
    });

  test('blocks, resuming clears it; late and repeated ones change nothing; the subscription is another matter', async () => {
    const company = await newCompany();
    const from = nextPhone();
    const say = async (value: string, seconds: number) => {
      await testApp.call(preference(company, from, value, seconds));
      await testApp.drain();
      return contactOf(company, from);
    };
    expect(await say('stop', 1_790_000_000)).toMatchObject({ marketing_blocked: true, subscribed: true });
    expect(await say('resume', 1_790_000_100)).toMatchObject({ marketing_blocked: false });
    expect(await say('stop', 1_790_000_000)).toMatchObject({ marketing_blocked: false });
    expect(await say('stop', 1_790_000_200)).toMatchObject({ marketing_blocked: true });
    expect(await say('signup', 1_790_000_300)).toMatchObject({ marketing_blocked: false });
    expect((await fixture.items(company.id, 'consent')).map((item) => [item['aspect'], item['source']])).toEqual(
      Array(4).fill(['marketing', 'provider']),
    );
    expect(published(company)).toHaveLength(2);
  });

  test('and a signup in the provider’s app subscribes with its id as the proof, and neither a late one nor one without an id undoes a STOP', async () => {
    const company = await fixture.company();
    const from = nextPhone();
    const signUp = async (seconds: number, signup_id?: string) => {
      const choice = { wa_id: from, category: 'marketing_messages', value: 'signup', ...(signup_id && { signup_id }), timestamp: seconds };
      const change = { field: 'user_preferences', value: { user_preferences: [choice] } };
      await testApp.call(providerPost(company, { entry: [{ id: company.number.wabaId, changes: [change] }] }));
      await testApp.drain();
      return contactOf(company, from);
    };
    await receive(company, from, 'STOP', { at: 1_790_000_100_000 });
    expect(await signUp(1_790_000_000, '71')).toMatchObject({ subscribed: false });
    expect(await signUp(1_790_000_200)).toMatchObject({ subscribed: false });
    expect(await signUp(1_790_000_300, '72')).toMatchObject({ subscribed: true, marketing_blocked: false });
    const proofs = await fixture.items(company.id, 'consent');
    expect(proofs.filter(({ evidence }) => String(evidence).startsWith('signup '))).toEqual([
      expect.objectContaining({ aspect: 'subscribed', wanted: true, source: 'provider', evidence: 'signup 72' }),
    ]);
    await receive(company, from, 'STOP', { at: 1_790_000_400_000 });
    expect(await signUp(1_790_000_300, '72')).toMatchObject({ subscribed: false });
  });

  test('and found out by a refused message (131050) blocks as well', async () => {
    const company = await fixture.company();
    await fixture.faults({ hold_statuses: true });
    const phone = nextPhone();
    const { message_wamid } = resultOf(await fixture.send(company, phone, 'Sale'));
    const post = statusPost(company, {
      id: message_wamid ?? '',
      status: 'failed',
      recipient_id: phone,
      errors: [{ code: 131050, title: 'Opted out' }],
    });
    for (let time = 0; time < 3; time++) await testApp.call(post);
    await testApp.drain();
    expect(await contactOf(company, phone)).toMatchObject({ marketing_blocked: true });
    expect(await fixture.items(company.id, 'consent')).toHaveLength(1);
    await fixture.faults({});
  });

  test('of a deleted contact changes nothing', async () => {
    const company = await newCompany();
    expect(await setConsent(company.id, 77, { subscribed: false, source: 'keyword', at: 1, evidence: 'x' })).toMatchObject({
      problem: 'not_found',
    });
  });
});
