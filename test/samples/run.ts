import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { classifyAnswer, classifyProviderError } from '../../functions/messaging/domain.ts';
import { messagesRequest, templateRequest, upsertRequest } from '../../lib/local/provider/schemas.ts';
import { newCompany, providerPost, type TestCompany } from '../support/company.ts';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.ts';
import { startWorld, type World } from '../support/world.ts';
import { shopSample } from './shop.ts';

export interface SampleResult {
  file: string;
  /** Why it failed; none: it passed. */
  problem?: string;
}

export interface SampleRun {
  results: SampleResult[];
  /** What is there and has no reader yet: said, not counted. */
  waiting: string[];
}

/** Runs recorded payloads, `FOLDER/provider/*.json` and `FOLDER/shop/*.json`, through the product. */
export const runSamples = async (folder: string): Promise<SampleRun> => {
  const provider = filesOf(join(folder, 'provider'));
  const shop = filesOf(join(folder, 'shop'));
  if (provider.length + shop.length === 0)
    throw new Error(`${folder} has no samples: expected ${folder}/provider/*.json and ${folder}/shop/*.json.`);
  await using stub = await startProviderStub();
  await using world = await startWorld({ env: { PROVIDER_BASE_URL: stub.url } });
  const results: SampleResult[] = [];
  let unread = 0;
  for (const file of provider) {
    const check = checks.find(([prefix]) => file.startsWith(prefix))?.[1];
    if (!check) {
      unread++;
      continue;
    }
    try {
      await check({ world, stub, body: JSON.parse(readFileSync(join(folder, 'provider', file), 'utf8')) as unknown });
      results.push({ file });
    } catch (error) {
      results.push({ file, problem: error instanceof Error ? error.message : String(error) });
    }
  }
  for (const file of shop) {
    const raw = readFileSync(join(folder, 'shop', file), 'utf8');
    try {
      await shopSample(world, file, raw);
      results.push({ file });
    } catch (error) {
      results.push({ file, problem: error instanceof Error ? error.message : String(error) });
    }
  }
  return { results, waiting: unread > 0 ? [`${unread} provider files are answers or fragments that nothing reads yet.`] : [] };
};

interface Sample {
  world: World;
  stub: ProviderStub;
  body: unknown;
}

const checks: readonly [prefix: string, check: (sample: Sample) => Promise<void> | void][] = [
  ['webhook_', webhook],
  ['send_request_', ({ body }) => void messagesRequest.parse(body)],
  ['template_create_', ({ body }) => void templateRequest.parse(body)],
  ['template_upsert_', ({ body }) => void upsertRequest.parse(body)],
  ['send_response_', sendAnswer],
  ['error_', errorBody],
];

function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .toSorted();
}

const post = z.looseObject({
  entry: z.array(
    z.looseObject({
      id: z.string(),
      changes: z.array(
        z.looseObject({
          value: z.looseObject({
            metadata: z.looseObject({ phone_number_id: z.string(), display_phone_number: z.string() }).optional(),
            messages: z.array(z.looseObject({ type: z.string(), text: z.looseObject({ body: z.string() }).optional() })).optional(),
            statuses: z.array(z.looseObject({ id: z.string(), status: z.string(), recipient_id: z.string().optional() })).optional(),
          }),
        }),
      ),
    }),
  ),
});

/** Accepted at the receiver of the company it is for, worked without a failure, and its effect seen through the API. */
async function webhook({ world, stub, body }: Sample): Promise<void> {
  const { entry } = post.parse(body);
  const values = entry.flatMap((each) => each.changes.map((change) => change.value));
  const company = await companyOf(values[0]?.metadata, entry[0]?.id);
  const statuses = values.flatMap((value) => value.statuses ?? []);
  const sent: (SentMessage & { status: string })[] = [];
  for (const { id, status, recipient_id } of statuses) sent.push({ ...(await sendAs(world, stub, company, id, recipient_id)), status });

  const answer = await world.call(providerPost(company, body));
  expectThat(answer.status >= 200 && answer.status < 300, `the receiver answered ${answer.status} ${answer.raw}`);
  const { failures } = await world.drain();
  expectThat(failures === 0, `${failures} deliveries failed: ${lastErrors(world)}`);

  const texts = values.flatMap((value) => value.messages ?? []).flatMap(({ type, text }) => (type === 'text' && text ? [text.body] : []));
  if (texts.length > 0) {
    const stored = await storedTexts(world, company);
    for (const text of texts) expectThat(stored.includes(text), `the text ${JSON.stringify(text)} is in no conversation`);
  }
  // a status of our own message carries our reference; the recorded ones, of other senders' messages, are given it where there is no phone
  for (const { reference, isByPhone, ...status } of sent) {
    if (!isByPhone) {
      await world.call(providerPost(company, withReference(body, reference)));
      await world.drain();
    }
    const expected = reached[status.status];
    const now = await statusOf(world, company, status.conversation, status.message);
    if (expected !== undefined) expectThat(now === expected, `the message has status ${now} after "${status.status}", not ${expected}`);
  }
}

function withReference(body: unknown, reference: string): unknown {
  const copy = post.parse(structuredClone(body));
  for (const { changes } of copy.entry)
    for (const { value } of changes) for (const status of value.statuses ?? []) status['biz_opaque_callback_data'] = reference;
  return copy;
}

/** What a message that was sent shows after a status (specification 1§2). */
const reached: Readonly<Record<string, number>> = { sent: 2, delivered: 3, read: 4, played: 4, failed: 5 };

/** An answer that names a message is an acceptance, with that message's id. */
function sendAnswer({ body }: Sample): void {
  const { messages } = z.looseObject({ messages: z.array(z.looseObject({ id: z.string() })).optional() }).parse(body);
  const read = classifyAnswer(200, body);
  if (messages) expectThat(read.outcome === 'accepted' && read.wamid === messages[0]?.id, `read as ${JSON.stringify(read)}`);
}

/** Every error body of the provider has a class, whatever language and form its texts have. */
function errorBody({ body }: Sample): void {
  const classified = classifyProviderError(body);
  const code = z.object({ error: z.object({ code: z.coerce.number() }) }).parse(body).error.code;
  expectThat(classified?.code === code, `classified as ${JSON.stringify(classified)}, not as code ${code}`);
  expectThat(classified?.title !== undefined && classified.title !== '', 'has no title');
}

/** A company that owns the numbers of the sample; placeholders in its ids are replaced, since a number has digits. */
function companyOf(metadata: { phone_number_id: string; display_phone_number: string } | undefined, wabaId = ''): Promise<TestCompany> {
  const isDigits = (text: string | undefined): text is string => text !== undefined && /^[0-9]{8,15}$/.test(text);
  return newCompany({
    ...(/^[0-9]+$/.test(metadata?.phone_number_id ?? '') ? { phoneNumberId: metadata?.phone_number_id ?? '' } : {}),
    ...(isDigits(metadata?.display_phone_number) ? { phone: metadata.display_phone_number } : {}),
    ...(/^[0-9]+$/.test(wabaId) ? { wabaId } : {}),
  });
}

interface SentMessage {
  conversation: number;
  message: number;
  /** What our request gave the provider to send back. */
  reference: string;
  /** Whether the status names a phone, by which the message is found too. */
  isByPhone: boolean;
}

async function sendAs(world: World, stub: ProviderStub, company: TestCompany, wamid: string, to = ''): Promise<SentMessage> {
  stub.answering(() => ({ status: 200, body: { messaging_product: 'whatsapp', messages: [{ id: wamid }] } }));
  const isByPhone = /^[0-9]{8,15}$/.test(to);
  const answer = await world.call({
    method: 'POST',
    path: '/api/v1/messages/text',
    token: company.tokens.owner,
    body: { phone: `+${isByPhone ? to : '16505551234'}`, message: 'The message of the status' },
  });
  stub.answering(undefined);
  await world.drain();
  const { data } = z.object({ data: z.object({ message_id: z.int(), conversation_id: z.int() }) }).parse(answer.body);
  const reference = String(stub.requests.at(-1)?.body['biz_opaque_callback_data']);
  return { conversation: data.conversation_id, message: data.message_id, reference, isByPhone };
}

async function storedTexts(world: World, company: TestCompany): Promise<string[]> {
  const token = company.tokens.owner;
  const { body } = await world.call({ method: 'GET', path: '/api/v1/conversations', token });
  const { data } = z.object({ data: z.array(z.object({ id: z.int() })) }).parse(body);
  const lists = await Promise.all(data.map(({ id }) => messagesOf(world, company, id)));
  return lists.flat().map((message) => message.value);
}

async function statusOf(world: World, company: TestCompany, conversation: number, message: number): Promise<number | undefined> {
  return (await messagesOf(world, company, conversation)).find(({ id }) => id === message)?.status;
}

async function messagesOf(world: World, company: TestCompany, conversation: number) {
  const path = `/api/v1/conversations/${conversation}/messages`;
  const { body } = await world.call({ method: 'GET', path, token: company.tokens.owner });
  return z.object({ data: z.array(z.object({ id: z.int(), value: z.string(), status: z.int() })) }).parse(body).data;
}

function lastErrors(world: World): string {
  return JSON.stringify(world.logs.filter((line) => line['level'] === 'ERROR').slice(-2));
}

function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
