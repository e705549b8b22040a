import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { rotateNumberSecrets } from '../../functions/account/service/numbers.ts';
import { syncAccount } from '../../functions/templates/service/sync-account.ts';
import { storedMessage, type StoredMessage } from '../../functions/messaging/contract/stored.ts';
import { startProvider } from '../../lib/local/provider/provider.ts';
import { type CompanyOptions, unwrap, newCompany, providerEnvelope, providerPost, type TestCompany } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { startTestApp, type TestAppOptions } from '../support/test-app.ts';

/** `appId`: the app of the provider that the company uses; else one of its own. */
export type SimulatedOptions = CompanyOptions & { appId?: string };

/** The product in this process with the provider simulator beside it, whose signed webhooks reach the product's own handler. */
export const startFixture = async (options: TestAppOptions = {}) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-messaging-'));
  // tests are about what the product does, and write first
  const provider = await startProvider({ dataDir, log: () => undefined, enforcesWindow: false });
  const testApp = await startTestApp({ ...options, env: { PROVIDER_BASE_URL: provider.url, ...options.env } });
  const hook = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
      const query = Object.fromEntries(searchParams);
      void testApp
        .call({ method: request.method ?? 'POST', path: pathname, query, headers, body: Buffer.concat(chunks).toString('utf8') })
        .then(({ status, raw }) => response.writeHead(status).end(raw));
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  const hookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}`;

  const control = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await provider.control(method, `/_local/provider/${path}`, body);
    if (answer?.status !== 200) throw new Error(`The simulator refused: ${JSON.stringify(answer)}`);
    return (answer.body as { data: unknown }).data;
  };

  return {
    testApp,
    provider,
    /** The address of the receiver of messaging webhooks, for a token. */
    webhookUrl: (token: string): string => `${hookUrl}/webhook/messaging/receive/${token}`,
    /** Where the product's receivers are, over HTTP. */
    hookUrl,
    /** The simulator's own controls. */
    control,
    /** A company whose number the simulator knows, with its owner and a member unless other roles are given. */
    company: async ({ appId, ...given }: SimulatedOptions = {}): Promise<TestCompany> => {
      const company = await newCompany({ roles: ['member', 'owner'], ...given });
      const accessToken = `token-of-company-${company.id}`;
      unwrap(await rotateNumberSecrets(company.id, 1, { access_token: accessToken }));
      await control('PUT', 'numbers', {
        company_id: company.id,
        waba_id: company.number.wabaId,
        phone_number_id: company.number.phoneNumberId,
        display_phone_number: company.number.phone,
        access_token: accessToken,
        app_secret: company.appSecret || 'none',
        ...(appId === undefined ? {} : { app_id: appId }),
        webhook_url: `${hookUrl}${company.webhookPath}`,
        verify_token: company.verifyToken,
      });
      return company;
    },
    faults: (settings: Record<string, unknown>) => control('PUT', 'faults', settings),
    inbound: async (body: Record<string, unknown>) => inboundAnswer.parse(await control('POST', 'inbound', body)).wamid,
    /** What the provider accepted, oldest first. */
    ledger: async (phone?: string) => ledgerSchema.parse(await control('GET', `messages${phone ? `?phone=${phone}` : ''}`)),
    /** What the provider accepted after an entry of its ledger; all of it without one. */
    ledgerAfter: async (wamid: string | undefined) =>
      ledgerSchema.parse(await control('GET', `messages${wamid === undefined ? '' : `?after=${wamid}`}`)),
    /** Inbound messages for which the provider got a read receipt. */
    receipts: async () => receiptsSchema.parse(await control('GET', 'receipts')),
    /** Templates at the provider, and in the product by its own sync. */
    templates: async (company: TestCompany, templates: readonly Record<string, unknown>[]): Promise<void> => {
      await control('PUT', 'templates', { waba_id: company.number.wabaId, templates });
      unwrap(await syncAccount(company.id));
    },
    /** Waits until the simulator has posted all it has to, working off what it posted. */
    deliverAll: async (): Promise<void> => {
      testApp.clock.advance(300);
      const end = performance.now() + 90_000;
      while (provider.pendingNow() > 0) {
        if (performance.now() > end) throw new Error('The simulator did not come to rest.');
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await testApp.drain();
    },
    send: (company: TestCompany, phone: string, message: string, key?: string): Promise<Answer> =>
      testApp.call({
        method: 'POST',
        path: '/api/v1/messages/text',
        token: company.tokens.member,
        body: { phone, message },
        ...(key ? { headers: { 'idempotency-key': key } } : {}),
      }),
    messages: async (companyId: number): Promise<StoredMessage[]> =>
      (await testApp.dump({ kind: 'message', companyId })).map((item) => storedMessage.parse(item)),
    items: (companyId: number, kind: string): Promise<Record<string, unknown>[]> => testApp.dump({ kind, companyId }),
    stop: async (): Promise<void> => {
      await provider.stop();
      await testApp.stop();
      hook.closeAllConnections();
      hook.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
export type Fixture = Awaited<ReturnType<typeof startFixture>>;

/** The result of a send in its envelope. */
export const resultOf = (answer: Answer) => sendAnswer.parse(answer.body).data;
export const problemOf = (answer: Answer) => problemAnswer.parse(answer.body);

/** The only element; anything else is a failure. */
export const only = <T>(items: readonly T[]): T => {
  const [first] = items;
  if (first === undefined || items.length !== 1) throw new Error(`One was expected, there are ${items.length}.`);
  return first;
};

const receiptsSchema = z.array(z.looseObject({ wamid: z.string() }));
const inboundAnswer = z.object({ wamid: z.string() });
const ledgerSchema = z.array(
  z.looseObject({ wamid: z.string(), to: z.string(), reference: z.string().nullable(), payload: z.looseObject({}) }),
);
const sendAnswer = z.object({
  data: z.object({
    message_id: z.int(),
    message_wamid: z.string().nullable(),
    status: z.int(),
    contact_id: z.int(),
    conversation_id: z.int(),
    window: z.object({ open: z.boolean(), expires_at: z.string().nullable() }),
    scheduled_at: z.string().nullable(),
    ambiguous: z.boolean(),
    warnings: z.array(z.string()),
  }),
});
const problemAnswer = z.object({
  code: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
  errors: z.record(z.string(), z.unknown()).optional(),
});

/** Messages that customers of a fixture's companies write, with phones that are new. */
export const inboundOf = (fixture: Fixture) => {
  let serial = 0;
  const nextPhone = (): string => String(4_916_000_000_000 + ++serial);
  return {
    nextPhone,
    /** The row of one inbound message, of a new company unless one is given; throws if it is not stored at the first try. */
    storedAs: async (message: Record<string, unknown>, company?: TestCompany): Promise<StoredMessage> => {
      const target = company ?? (await fixture.company());
      const full = { from: nextPhone(), id: `wamid.kind-${++serial}`, timestamp: '1790000000', ...message };
      const { status, raw } = await fixture.testApp.call(providerPost(target, providerEnvelope(target, { messages: [full] })));
      const { failures } = await fixture.testApp.drain();
      if (status !== 200 || failures > 0) throw new Error(`The message was answered ${status}, and failed ${failures} times: ${raw}`);
      return only((await fixture.messages(target.id)).filter(({ wamid }) => wamid === full.id));
    },
  };
};
