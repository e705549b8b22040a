import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { classifyResponse } from '../../functions/messaging/domain/provider-result.ts';
import { classifyProviderError } from '../../shared/provider/errors.ts';
import { messagesRequest, templateRequest, upsertRequest } from '../../lib/local/provider/schemas.ts';
import { newCompany, providerPost, type TestCompany } from '../support/company.ts';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { answerChecks } from './provider-answers.ts';
import { shopSample } from './shop.ts';

/**
 * What a sample shows. `effect`: what it changed is seen through the API, or the value that the product reads from it is compared. `accepted`: the
 * product answered 2xx and no delivery failed; nothing more is compared. `simulator`: the product never reads such a document; the simulator's
 * schema or answer is held against it. `unread`: nothing is held against it.
 */
export type Level = 'effect' | 'accepted' | 'simulator' | 'unread';

export interface SampleResult {
  file: string;
  level: Level | undefined;
  /** Why it failed; none: it passed. */
  problem?: string;
}

/** Runs recorded payloads, `FOLDER/provider/*.json` and `FOLDER/shop/*.json`, through the product. */
export const runSamples = async (folder: string): Promise<SampleResult[]> => {
  const provider = filesOf(join(folder, 'provider'));
  const shop = filesOf(join(folder, 'shop'));
  if (provider.length + shop.length === 0)
    throw new Error(`${folder} has no samples: expected ${folder}/provider/*.json and ${folder}/shop/*.json.`);
  await using stub = await startProviderStub();
  await using testApp = await startTestApp({ env: { PROVIDER_BASE_URL: stub.url } });
  const results: SampleResult[] = [];
  const run = async (file: string, check: () => Promise<Level> | Level): Promise<void> => {
    try {
      results.push({ file, level: await check() });
    } catch (error) {
      results.push({ file, level: undefined, problem: error instanceof Error ? error.message : String(error) });
    }
  };
  for (const file of provider) {
    const check = checks.find(([name]) => name.test(file))?.[1] ?? ((): Level => 'unread');
    await run(file, () => check({ testApp, stub, body: JSON.parse(readFileSync(join(folder, 'provider', file), 'utf8')) as unknown }));
  }
  for (const file of shop) await run(file, () => shopSample(testApp, file, readFileSync(join(folder, 'shop', file), 'utf8')));
  return results;
};

export interface Sample {
  testApp: TestApp;
  stub: ProviderStub;
  body: unknown;
}

const checks: readonly [name: RegExp, check: (sample: Sample) => Promise<Level> | Level][] = [
  [/^webhook_/, webhook],
  [/^fragment_status_/, ({ testApp, stub, body }) => webhook({ testApp, stub, body: asStatus(body) })],
  [/^fragment_user_preferences/, ({ testApp, stub, body }) => webhook({ testApp, stub, body: asPost('user_preferences', body) })],
  [/^send_request_/, ({ body }) => bySimulator(messagesRequest.parse(body))],
  [/^template_create_.*_request\.json$/, ({ body }) => bySimulator(templateRequest.parse(body))],
  [/^template_upsert_.*_request\.json$/, ({ body }) => bySimulator(upsertRequest.parse(body))],
  [/^send_response_/, sendAnswer],
  [/^error_/, errorBody],
  ...answerChecks,
];

/** The simulator's schema takes the document; the product writes such documents and reads none. */
const bySimulator = (_parsed: unknown): Level => 'simulator';

function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .toSorted();
}

const inbound = z.looseObject({
  id: z.string(),
  type: z.string(),
  from: z.string().optional(),
  from_user_id: z.string().optional(),
  text: z.looseObject({ body: z.string() }).optional(),
});
type Inbound = z.output<typeof inbound>;

const post = z.looseObject({
  entry: z.array(
    z.looseObject({
      id: z.string(),
      changes: z.array(
        z.looseObject({
          value: z.looseObject({
            metadata: z.looseObject({ phone_number_id: z.string(), display_phone_number: z.string() }).optional(),
            messages: z.array(inbound).optional(),
            message_echoes: z.array(inbound).optional(),
            user_preferences: z.array(z.looseObject({ wa_id: z.string(), value: z.string() })).optional(),
            statuses: z.array(z.looseObject({ id: z.string(), status: z.string(), recipient_id: z.string().optional() })).optional(),
          }),
        }),
      ),
    }),
  ),
});

/** Accepted at the receiver of the company it is for, worked without a failure, and its effect seen through the API. */
async function webhook({ testApp: world, stub, body: recorded }: Sample): Promise<Level> {
  const { entry } = post.parse(recorded);
  const values = entry.flatMap((each) => each.changes.map((change) => change.value));
  const company = await companyOf(values[0]?.metadata, entry[0]?.id);
  const body = withIdsOf(company, recorded);
  const statuses = values.flatMap((value) => value.statuses ?? []);
  const sent: (SentMessage & { status: string })[] = [];
  for (const { id, status, recipient_id } of statuses) sent.push({ ...(await sendAs(world, stub, company, id, recipient_id)), status });

  // the files of recorded messages are long gone
  stub.answering(({ method }) =>
    method === 'GET' ? { status: 404, body: { error: { code: 100, error_subcode: 33, message: 'Unsupported get request.' } } } : undefined,
  );
  const answer = await world.call(providerPost(company, body));
  expectThat(answer.status >= 200 && answer.status < 300, `the receiver answered ${answer.status} ${answer.raw}`);
  const { failures } = await world.drain();
  stub.answering(undefined);
  expectThat(failures === 0, `${failures} deliveries failed: ${lastErrors(world)}`);

  for (const message of values.flatMap((value) => value.messages ?? [])) await isStored(world, company, message);
  for (const echo of values.flatMap((value) => value.message_echoes ?? [])) await isStored(world, company, echo);
  for (const preference of values.flatMap((value) => value.user_preferences ?? [])) await isHeeded(world, company, preference);
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
  const isCompared =
    sent.some(({ status }) => reached[status] !== undefined) ||
    values.some((value) => [value.messages, value.message_echoes, value.user_preferences].some((each) => (each?.length ?? 0) > 0));
  return isCompared ? 'effect' : 'accepted';
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
function sendAnswer({ body }: Sample): Level {
  const { messages } = z.looseObject({ messages: z.array(z.looseObject({ id: z.string() })).optional() }).parse(body);
  const read = classifyResponse(200, body);
  if (!messages) return 'unread';
  expectThat(read.outcome === 'accepted' && read.wamid === messages[0]?.id, `read as ${JSON.stringify(read)}`);
  return 'effect';
}

/** Every error body of the provider has a class, whatever language and form its texts have. */
function errorBody({ body }: Sample): Level {
  const classified = classifyProviderError(body);
  const code = z.object({ error: z.object({ code: z.coerce.number() }) }).parse(body).error.code;
  expectThat(classified?.code === code, `classified as ${JSON.stringify(classified)}, not as code ${code}`);
  expectThat(classified?.title !== undefined && classified.title !== '', 'has no title');
  return 'effect';
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

/** The post with the company's ids in place of others: documented ones are placeholders, and a post may name several numbers. */
const withIdsOf = (company: TestCompany, body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body, function (this: unknown, name: string, value: unknown): unknown {
      if (name === 'phone_number_id') return company.number.phoneNumberId;
      const isEntry = typeof this === 'object' && this !== null && 'changes' in this;
      return name === 'id' && isEntry ? company.number.wabaId : value;
    }),
  );

interface SentMessage {
  conversation: number;
  message: number;
  /** What our request gave the provider to send back. */
  reference: string;
  /** Whether the status names a phone, by which the message is found too. */
  isByPhone: boolean;
}

async function sendAs(world: TestApp, stub: ProviderStub, company: TestCompany, wamid: string, to = ''): Promise<SentMessage> {
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

/** Parts of a status within a whole one, of a message of ours. */
const asStatus = (body: unknown) =>
  asPost('messages', {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550009999', phone_number_id: '990000000000001' },
    statuses: [{ id: 'wamid.fragment', status: 'sent', timestamp: '1790000000', recipient_id: '16505551234', ...part(body) }],
  });

/** The value of a field as the provider would post it. */
const asPost = (field: string, value: unknown) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: '102290129340398', changes: [{ field, value }] }],
});

const words = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Specification 1§2 with A33: what each kind is shown as. */
const shownAs: Readonly<Record<string, (message: Inbound) => { message_type: number; subtype: string; value?: string }>> = {
  text: ({ text }) => ({ message_type: 1, subtype: 'text', ...(text ? { value: text.body } : {}) }),
  image: () => ({ message_type: 2, subtype: 'image' }),
  video: () => ({ message_type: 2, subtype: 'video' }),
  audio: ({ audio }) => ({ message_type: 2, subtype: part(audio)['voice'] === true ? 'voice' : 'audio', value: '' }),
  document: ({ document }) => ({ message_type: 2, subtype: 'document', value: words(part(document)['caption']) }),
  sticker: () => ({ message_type: 2, subtype: 'sticker', value: '' }),
  location: ({ location }) => {
    const { latitude, longitude } = part(location);
    return { message_type: 3, subtype: 'location', value: `${String(latitude)},${String(longitude)}` };
  },
  contacts: () => ({ message_type: 1, subtype: 'contacts' }),
  button: ({ button }) => ({ message_type: 1, subtype: 'button', value: String(part(button)['text']) }),
  interactive: ({ interactive }) => {
    const subtype = String(part(interactive)['type']);
    const reply = part(part(interactive)[subtype]);
    if (subtype === 'nfm_reply') return { message_type: 5, subtype, value: String(reply['response_json']) };
    return { message_type: 1, subtype, value: String(reply['title']) };
  },
  reaction: ({ reaction }) => ({
    message_type: 1,
    subtype: part(reaction)['emoji'] ? 'reaction' : 'reaction_removed',
    value: words(part(reaction)['emoji']),
  }),
  order: ({ order }) => ({ message_type: 1, subtype: 'order', value: String(part(order)['text']) }),
  system: ({ system }) => ({ message_type: 1, subtype: 'system', value: String(part(system)['body']) }),
  unsupported: () => ({ message_type: 1, subtype: 'unsupported', value: '' }),
  revoke: () => ({ message_type: 1, subtype: 'revoke', value: '' }),
  edit: () => ({ message_type: 1, subtype: 'edit' }),
  request_welcome: () => ({ message_type: 1, subtype: 'request_welcome', value: '' }),
};

const part = (value: unknown): Record<string, unknown> => z.looseObject({}).catch({}).parse(value);

/** In the conversation of who wrote it, as its kind; a message of nobody (placeholders in place of a phone) is kept whole. */
async function isStored(world: TestApp, company: TestCompany, message: Inbound): Promise<void> {
  const isSomebody = /^[0-9]+$/.test(message.from ?? '') || message.from_user_id !== undefined;
  if (!isSomebody) {
    const kept = (await world.dump()).filter((item) => item['kind'] === 'archived-update' && item['companyId'] === company.id);
    return expectThat(
      kept.some((item) => String(item['body']).includes(message.id)),
      `${message.id} of nobody is not kept`,
    );
  }
  const found = (await allMessages(world, company)).filter(({ fb_message_id }) => fb_message_id === message.id);
  expectThat(found.length === 1, `${message.id} is in the conversations ${found.length} times`);
  const expected: Record<string, unknown> | undefined = shownAs[message.type]?.(message);
  expectThat(expected !== undefined, `nobody knows how a message of type ${message.type} is shown`);
  const shown: Record<string, unknown> = { ...found[0] };
  for (const [field, value] of Object.entries(expected ?? {}))
    expectThat(shown[field] === value, `${field} of the message is ${JSON.stringify(shown[field])}, not ${JSON.stringify(value)}`);
}

async function isHeeded(world: TestApp, company: TestCompany, { wa_id, value }: { wa_id: string; value: string }): Promise<void> {
  const { body } = await world.call({ method: 'GET', path: '/api/v1/contacts', token: company.tokens.owner });
  const { data } = z.object({ data: z.array(z.object({ phone: z.string(), marketing_blocked: z.boolean() })) }).parse(body);
  const blocked = data.find(({ phone }) => phone === wa_id)?.marketing_blocked;
  expectThat(blocked === (value === 'stop'), `marketing_blocked is ${String(blocked)} after ${value}`);
}

async function allMessages(world: TestApp, company: TestCompany) {
  const token = company.tokens.owner;
  const { body } = await world.call({ method: 'GET', path: '/api/v1/conversations', token });
  const { data } = z.object({ data: z.array(z.object({ id: z.int() })) }).parse(body);
  return (await Promise.all(data.map(({ id }) => messagesOf(world, company, id)))).flat();
}

async function statusOf(world: TestApp, company: TestCompany, conversation: number, message: number): Promise<number | undefined> {
  return (await messagesOf(world, company, conversation)).find(({ id }) => id === message)?.status;
}

async function messagesOf(world: TestApp, company: TestCompany, conversation: number) {
  const path = `/api/v1/conversations/${conversation}/messages`;
  const { body } = await world.call({ method: 'GET', path, token: company.tokens.owner });
  return z.object({ data: z.array(shownMessage) }).parse(body).data;
}

const shownMessage = z.object({
  id: z.int(),
  fb_message_id: z.string().nullable(),
  value: z.string(),
  status: z.int(),
  message_type: z.int(),
  subtype: z.string(),
});

function lastErrors(world: TestApp): string {
  return JSON.stringify(world.logs.filter((line) => line['level'] === 'ERROR').slice(-2));
}

function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
