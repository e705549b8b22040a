import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { functionLogName } from '../../../lib/local/runner.ts';
import { words } from '../../support/command-line.ts';
import { product, runAdmin } from './product.ts';

const sent = z.object({
  data: z.object({ message_id: z.number(), message_wamid: z.string().nullable(), status: z.number(), conversation_id: z.number() }),
});
const ledger = z.object({ data: z.array(z.looseObject({ wamid: z.string(), to: z.string() })) });

const sendText = async (phone: string, message: string, headers: Record<string, string> = {}) =>
  product.asOwner({ method: 'POST', path: '/api/v1/messages/text', body: { phone, message }, headers });
const sendHello = (phone: string) =>
  product.api.messages.sendTemplate({ body: { phone, template_name: 'hello_world', template_language: 'en_US' } });
/** A customer writes, to the first demo company unless another is given. */
const write = async (message: { from: string; text: string; name?: string; company_id?: unknown }): Promise<void> => {
  const body = { company_id: product.companyId, type: 'text', ...message };
  const { status, raw } = await product.control('POST', 'provider/inbound', body);
  expect(status, raw).toBe(200);
};
const conversation = async (id: number) => (await product.api.conversations.listMessages({ params: { id } })).data;
const accepted = async () => ledger.parse((await product.control('GET', 'provider/messages')).body).data;

export const firstMessageOnLaptop = (): void => {
  describe('the first message', () => {
    it('is a template: accepted by the provider, and read in its conversation once the statuses came back signed', async () => {
      const { data } = await sendHello('+49 1512 3456001');
      expect(data.message_wamid).toMatch(/^wamid\./);
      await product.idle();
      expect(await conversation(data.conversation_id)).toMatchObject([
        { id: data.message_id, subtype: 'template', status: 4, fb_message_id: data.message_wamid },
      ]);
      expect((await accepted()).filter(({ to }) => to === '4915123456001')).toMatchObject([{ wamid: data.message_wamid }]);
    });

    it('as free text to a person who never wrote is accepted with a warning and comes back as failed, and never reaches them', async () => {
      const answer = await sendText('4915123456007', 'Hello?');
      expect([answer.status, answer.body]).toMatchObject([200, { data: { window: { open: false }, warnings: [expect.any(String)] } }]);
      const { data } = sent.parse(answer.body);
      await product.idle();
      expect(await conversation(data.conversation_id)).toMatchObject([{ id: data.message_id, status: 5, error: { code: 131047 } }]);
      expect((await accepted()).filter(({ to }) => to === '4915123456007')).toMatchObject([{ status: 'failed', error_code: 131047 }]);
    });

    it('is answered by a person, and the conversation shows both and an open window, in which free text arrives', async () => {
      const { data } = await sendHello('4915123456002');
      await write({ from: '4915123456002', name: 'Zoë Ünal', text: 'Yes 🙂' });
      await product.idle();
      const reply = sent.parse((await sendText('4915123456002', 'Good.')).body).data;
      expect(reply.conversation_id).toBe(data.conversation_id);
      await product.idle();
      const shown = await conversation(data.conversation_id);
      expect(shown.map(({ value, is_message_by_contact }) => [value, is_message_by_contact])).toEqual([
        ['Good.', 0],
        ['Yes 🙂', 1],
        ['Hello! This message shows that your number can send.', 0],
      ]);
      expect(shown[0]).toMatchObject({ status: 4 });
      const list = await product.asOwner({ method: 'GET', path: '/api/v1/conversations' });
      expect(list.body).toMatchObject({
        data: expect.arrayContaining([
          expect.objectContaining({ id: data.conversation_id, window: expect.objectContaining({ open: true }) }),
        ]),
      });
    });

    it('sent twice under one Idempotency-Key reaches the provider once', async () => {
      const key = { 'idempotency-key': 'flow-1' };
      const [a, b] = await Promise.all([sendText('4915123456003', 'Once', key), sendText('4915123456003', 'Once', key)]);
      expect([a.status, b.status].filter((status) => status === 200).length).toBeGreaterThan(0);
      const again = await sendText('4915123456003', 'Once', key);
      expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
      await product.idle();
      expect((await accepted()).filter(({ to }) => to === '4915123456003')).toHaveLength(1);
    });

    it('is not sent by HEAD, and the deprecated GET form sends it and says what follows it', async () => {
      const query = { phone: '4915123456004', message: 'By GET' };
      await product.asOwner({ method: 'HEAD', path: '/api/v1/messages/text', query });
      expect((await accepted()).filter(({ to }) => to === '4915123456004')).toHaveLength(0);
      const answer = await product.asOwner({ method: 'GET', path: '/api/v1/messages/text', query });
      expect([answer.status, answer.headers['deprecation'] !== undefined, answer.headers['link']]).toEqual([
        200,
        true,
        '</api/v1/messages/text>; rel="successor-version"',
      ]);
    });
  });

  describe('what is not in order', () => {
    it.each([
      ['no phone', { message: 'Hi' }, 'phone'],
      ['a word for a phone', { phone: 'abc', message: 'Hi' }, 'phone'],
      ['no message', { phone: '4915123456005' }, 'message'],
      ['too long a message', { phone: '4915123456005', message: 'x'.repeat(4_097) }, 'message'],
    ])('%s is refused with its field', async (_, body, field) => {
      const answer = await product.asOwner({ method: 'POST', path: '/api/v1/messages/text', body });
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ code: 'validation_failed', errors: { [field]: [expect.any(String)] } });
    });

    it('unknown addresses, wrong methods and broken bodies get the product form of an error', async () => {
      const nowhere = await product.asOwner({ method: 'GET', path: '/api/v1/nowhere' });
      expect([nowhere.status, nowhere.body]).toMatchObject([404, { status: 'error', code: 'route_not_found' }]);
      const wrong = await product.asOwner({ method: 'PATCH', path: '/api/v1/contacts' });
      expect([wrong.status, wrong.headers['allow']]).toEqual([405, expect.stringContaining('POST')]);
      const broken = await product.asOwner({
        method: 'POST',
        path: '/api/v1/contacts',
        body: '{"phone":',
        headers: { 'content-type': 'application/json' },
      });
      expect([broken.status, broken.body]).toMatchObject([400, { code: 'invalid_json' }]);
    });

    it('an unsigned or wrongly signed webhook is refused and changes nothing; a rightly signed one is taken', async () => {
      const messaging = product.demo.companies[0]?.messaging;
      if (!messaging) throw new Error('No demo company.');
      const body = JSON.stringify({
        object: 'whatsapp_business_account',
        entry: [
          {
            id: messaging.waba_id,
            changes: [
              {
                field: 'messages',
                value: {
                  messaging_product: 'whatsapp',
                  metadata: { display_phone_number: messaging.phone_number, phone_number_id: messaging.phone_number_id },
                  contacts: [{ profile: { name: 'Eve' }, wa_id: '4915123456099' }],
                  messages: [
                    {
                      from: '4915123456099',
                      id: 'wamid.flow',
                      timestamp: String(Math.floor(Date.now() / 1000)),
                      type: 'text',
                      text: { body: 'Hi' },
                    },
                  ],
                },
              },
            ],
          },
        ],
      });
      const post = (signature?: string) =>
        product.http({
          method: 'POST',
          path: messaging.webhook_url,
          body,
          headers: { 'content-type': 'application/json', ...(signature ? { 'x-hub-signature-256': signature } : {}) },
        });
      expect((await post()).status).toBe(401);
      expect((await post(`sha256=${'0'.repeat(64)}`)).status).toBe(401);
      await product.idle();
      const listed = async () => JSON.stringify((await product.asOwner({ method: 'GET', path: '/api/v1/contacts' })).body);
      expect(await listed()).not.toContain('4915123456099');
      const right = `sha256=${createHmac('sha256', messaging.app_secret).update(body).digest('hex')}`;
      expect([await post(right), await post(right)].map(({ status, body: output }) => [status, output])).toEqual(
        Array(2).fill([200, { status: 'success', message: 'EVENT_RECEIVED' }]),
      );
      await product.idle();
      expect((await listed()).split('4915123456099')).toHaveLength(2);
    });
  });

  it('the demo file is whole, and only its owner can read it', () => {
    const file = join(product.folder, 'demo.json');
    expect(existsSync(file) && statSync(file).mode & 0o077).toBe(0);
    const [a, b] = product.demo.companies;
    expect(new Set([a?.id, b?.id]).size).toBe(2);
  });
};

export const newCompanyOnLaptop = (): void => {
  it('an owner sets up settings, people, tokens, a number and receivers and sends the first message, all over HTTP; every secret is shown once and none is logged', async () => {
    // the operator makes the company and its owner's first token
    const admin = async (line: string): Promise<Record<string, unknown>> => {
      const ran = await runAdmin([...words(line), '--json']);
      expect(ran, line).toMatchObject({ code: 0 });
      return JSON.parse(ran.out) as Record<string, unknown>;
    };
    const { id } = await admin('companies create --name Cedar');
    await admin(`users create --company ${String(id)} --name Kim --email kim@cedar.example --role owner`);
    const token = String((await admin(`tokens create --company ${String(id)} --user 1`))['secret']);

    const shown: string[] = [];
    const call = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
      const answer = await product.http({ method, path: `/api/v1${path}`, token, ...(body === undefined ? {} : { body }) });
      expect(answer.status, `${method} ${path}: ${answer.raw}`).toBe(200);
      shown.push(answer.raw);
      return z.object({ data: z.record(z.string(), z.unknown()) }).parse(answer.body).data;
    };
    await call('PUT', '/company', { timezone: 'Europe/Berlin', settings: { strict_input: true, task_reminder_minutes: 30 } });
    const colleague = await call('POST', '/users', { name: 'Lee', email: 'lee@cedar.example', role: 'member' });
    const till = await call('POST', '/tokens', { user_id: colleague['id'], name: 'till', scopes: ['messages:send', 'conversations:read'] });
    const ids = { waba_id: '9002', phone_number_id: '9001' };
    const given = { access_token: 'EAA-of-cedar', app_secret: 'secret-of-cedar' };
    const number = await call('POST', '/numbers', { phone: '+1 555 010 9001', ...ids, ...given });
    const atProvider = await product.control('PUT', 'provider/numbers', {
      company_id: id,
      ...ids,
      ...given,
      display_phone_number: '+15550109001',
      webhook_url: `${product.baseUrl}/webhook/messaging/receive/of-nobody`,
      registered: false,
    });
    expect(atProvider.status, atProvider.raw).toBe(200);
    const connected = await call('POST', `/numbers/${String(number['id'])}/connect`, { pin: '482916' });
    expect(connected).toMatchObject({ is_connected: true, former_webhook_token_ids: [] });
    expect(await call('POST', `/numbers/${String(number['id'])}/check`)).toMatchObject({ is_ready: true });
    const shop = await call('POST', '/machine-tokens', { kind: 'webhook_token', receiver: 'webshop', make_shared_secret: true });
    const erp = await call('POST', '/machine-tokens', { kind: 'erp_token' });

    await write({ company_id: id, from: '4915123456009', text: 'Are you there?' });
    await product.idle();
    const body = { phone: '+4915123456009', message: 'Hello from Cedar' };
    const sentByTill = await product.http({ method: 'POST', path: '/api/v1/messages/text', token: String(till['secret']), body });
    const { data } = sent.parse(sentByTill.body);
    await product.idle();
    // the provider took it, and its statuses came back to the address that it was given
    const conversationPath = `/api/v1/conversations/${data.conversation_id}/messages`;
    const messages = await product.http({ method: 'GET', path: conversationPath, token });
    expect(messages.body).toMatchObject({ data: [{ value: 'Hello from Cedar' }, { value: 'Are you there?' }] });
    expect(messages.raw).toMatch(/"status":(3|4)/);

    for (const path of ['/company', '/users', '/tokens?all=true', '/machine-tokens', '/numbers', '/audit', '/me'])
      shown.push((await product.http({ method: 'GET', path: `/api/v1${path}`, token })).raw);
    const log = readFileSync(join(product.folder, functionLogName), 'utf8');
    expect(log).toContain('"route":"connectNumber"');
    const timesShown = (secret: unknown): number => shown.filter((each) => each.includes(String(secret))).length;
    const made = [till['secret'], number['verify_token'], shop['secret'], shop['shared_secret'], erp['secret']];
    expect(made.map(timesShown)).toEqual(made.map(() => 1));
    expect([token, ...Object.values(given)].map(timesShown)).toEqual([0, 0, 0]);
    for (const secret of [token, ...made, ...Object.values(given)]) expect(log).not.toContain(String(secret));
  });
};
