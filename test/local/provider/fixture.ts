/** A provider and a receiver of its webhooks for one test, both on loopback, cleared away afterwards. */
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { type Provider, startProvider } from '../../../lib/local/provider/provider.ts';
import { webhookBody } from '../../../lib/local/provider/webhook-schemas.ts';

export const phoneNumberId = '100200300400500';
export const wabaId = '600700800900100';
export const accessToken = 'token-of-the-first-company';
export const appSecret = 'secret-of-the-first-company';
export const customer = '16505550111';

export type Status = z.infer<typeof status>;
const status = z.looseObject({
  id: z.string(),
  status: z.string(),
  biz_opaque_callback_data: z.string().optional(),
  errors: z.array(z.looseObject({ code: z.number() })).optional(),
});
export type Received = z.infer<typeof received>;
const received = z.looseObject({ id: z.string(), type: z.string() });

export interface Post {
  raw: Buffer;
  signature: string;
  body: z.infer<typeof webhookBody>;
}

/** Answers 200 unless given otherwise; every body must fit the schemas and carry the right signature. */
export async function openReceiver() {
  const posts: Post[] = [];
  const answers: number[] = [];
  const faulty: string[] = [];
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'GET') {
      const right = url.searchParams.get('hub.verify_token') === 'verify-me';
      return void response.writeHead(right ? 200 : 403).end(right ? url.searchParams.get('hub.challenge') : '');
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      const signature = String(request.headers['x-hub-signature-256']);
      const answer = answers.shift() ?? 200;
      if (signature !== `sha256=${createHmac('sha256', appSecret).update(raw).digest('hex')}`) faulty.push('signature');
      const parsed = webhookBody.safeParse(JSON.parse(raw.toString()));
      if (!parsed.success) faulty.push(parsed.error.message);
      else if (answer === 200) posts.push({ raw, signature, body: parsed.data });
      response.writeHead(answer).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const port = (server.address() as AddressInfo).port;
  const values = () => posts.flatMap((post) => post.body.entry.flatMap((entry) => entry.changes));
  return {
    url: `http://127.0.0.1:${port}/hook`,
    posts,
    /** HTTP statuses for the next posts. */
    answers,
    faulty,
    changes: values,
    statuses: (): Status[] => values().flatMap((change) => z.array(status).parse(change.value.statuses ?? [])),
    messages: (): Received[] => values().flatMap((change) => z.array(received).parse(change.value.messages ?? [])),
  };
}

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'provider-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A started provider with one registered number. */
export async function openFixture(registration: Record<string, unknown> = {}, options: { enforcesWindow?: boolean } = {}) {
  const receiver = await openReceiver();
  const dataDir = newFolder();
  const provider = await startProvider({ dataDir, log: () => {}, ...options });
  onTestFinished(() => provider.stop());
  const control = controlOf(provider);
  expect((await control('PUT', 'numbers', { ...firstNumber(receiver.url), ...registration })).status).toBe(200);
  return { provider, receiver, dataDir, control, call: callOf(provider), send: senderOf(provider), quiet: () => quiet(provider) };
}

export function firstNumber(webhookUrl: string) {
  return {
    company_id: 1,
    waba_id: wabaId,
    phone_number_id: phoneNumberId,
    display_phone_number: '+1 555 078 3881',
    access_token: accessToken,
    app_secret: appSecret,
    webhook_url: webhookUrl,
    verify_token: 'verify-me',
  };
}

const controlAnswer = z.looseObject({ data: z.unknown().optional() });

export function controlOf(provider: Provider) {
  return async (method: string, path: string, body?: unknown) => {
    const answer = await provider.control(method, `/_local/provider/${path}`, body);
    return { status: answer?.status ?? 404, body: controlAnswer.parse(answer?.body ?? {}) };
  };
}

const graphBody = z.looseObject({
  id: z.string().optional(),
  success: z.boolean().optional(),
  messages: z.array(z.looseObject({ id: z.string() })).optional(),
  contacts: z.array(z.looseObject({ input: z.string() })).optional(),
  data: z.array(z.looseObject({})).optional(),
  error: z
    .looseObject({
      code: z.number(),
      message: z.string(),
      error_subcode: z.number().optional(),
      error_data: z.looseObject({ details: z.string() }).optional(),
    })
    .optional(),
});

export function callOf(provider: Provider) {
  return async (method: string, path: string, body?: unknown, token = accessToken) => {
    const response = await fetch(`${provider.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: graphBody.parse(JSON.parse(text)) };
  };
}

export function senderOf(provider: Provider) {
  const call = callOf(provider);
  return (message: Record<string, unknown>, token = accessToken) =>
    call('POST', `/v19.0/${phoneNumberId}/messages`, { messaging_product: 'whatsapp', to: `+${customer}`, ...message }, token);
}

export const text = { type: 'text', text: { body: 'Hello' } };

const realNow = Date.now.bind(Date);

/** Moves the clock for the rest of the test, as the local runner's clock does; again, from the real time. */
export function moveClock(aheadMs: number): void {
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs);
  onTestFinished(() => spy.mockRestore());
}

/** Waits until nothing is left to post. */
export async function quiet(provider: Provider): Promise<void> {
  await until(() => provider.pendingNow() === 0);
}

export async function until(condition: () => boolean, withinMs = 90_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error('did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
