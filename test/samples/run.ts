import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { classifyResponse } from '../../functions/messaging/domain/provider-result.ts';
import { classifyProviderError } from '../../shared/provider/errors.ts';
import { messagesRequest, templateRequest, upsertRequest } from '../../lib/local/provider/schemas.ts';
import { inboundText, newCompany, providerPost, type TestCompany } from '../support/company.ts';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { ignoredReason } from './ignored.ts';
import { answerChecks } from './provider-answers.ts';
import { shopSample } from './shop.ts';

/**
 * What a sample shows. `effect`: what it changed is seen through the API, or the value that the product reads from it is compared. `ignored`: it
 * changes nothing, for a reason that is named (ignored.ts). `simulator`: the product never reads such a document; the simulator's schema or
 * answer is held against it. `answered`: the product took it, and nothing shows what it did, which is a failure.
 */
export type Level = 'effect' | 'ignored' | 'simulator' | 'answered';

export interface SampleResult {
  file: string;
  level: Level | undefined;
  /** Why it is ignored. */
  reason?: string;
  /** Why it failed; none: it passed. */
  problem?: string;
}

/** Runs recorded payloads, `FOLDER/provider/*.json` and `FOLDER/shop/*.json`, through the product: all of them, or those that `isWanted`. */
export const runSamples = async (folder: string, isWanted: (file: string) => boolean = () => true): Promise<SampleResult[]> => {
  const provider = filesOf(join(folder, 'provider')).filter(isWanted);
  const shop = filesOf(join(folder, 'shop')).filter(isWanted);
  if (provider.length + shop.length === 0)
    throw new Error(`${folder} has no samples: expected ${folder}/provider/*.json and ${folder}/shop/*.json.`);
  await using stub = await startProviderStub();
  await using testApp = await startTestApp({ env: { PROVIDER_BASE_URL: stub.url } });
  const results: SampleResult[] = [];
  const run = async (file: string, check: () => Promise<Level> | Level): Promise<void> => {
    try {
      const level = await check();
      const reason = level === 'ignored' ? { reason: ignoredReason(file) ?? 'an answer without content' } : {};
      const problem = level === 'answered' ? { problem: 'answered, and nothing shows what it did' } : {};
      results.push({ file, level, ...reason, ...problem });
    } catch (error) {
      results.push({ file, level: undefined, problem: error instanceof Error ? error.message : String(error) });
    }
  };
  for (const file of provider) {
    const body = JSON.parse(readFileSync(join(folder, 'provider', file), 'utf8')) as unknown;
    const isPost = typeof body === 'object' && body !== null && 'entry' in body;
    const check = isPost ? webhook : (checks.find(([name]) => name.test(file))?.[1] ?? ((): Level => 'answered'));
    await run(file, () => check({ testApp, stub, file, body }));
  }
  for (const file of shop) await run(file, () => shopSample(testApp, stub, file, readFileSync(join(folder, 'shop', file), 'utf8')));
  return results;
};

export interface Sample {
  testApp: TestApp;
  stub: ProviderStub;
  file: string;
  body: unknown;
}

const checks: readonly [name: RegExp, check: (sample: Sample) => Promise<Level> | Level][] = [
  [/^fragment_status_/, (sample) => webhook({ ...sample, body: asStatus(sample.body) })],
  [/^fragment_user_preferences/, (sample) => webhook({ ...sample, body: asPost('user_preferences', sample.body) })],
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
      id: z.string().optional(),
      changes: z.array(
        z.looseObject({
          field: z.string().default('messages'),
          value: z.looseObject({
            metadata: z.looseObject({ phone_number_id: z.string(), display_phone_number: z.string().optional() }).optional(),
            messages: z.array(inbound).optional(),
            message_echoes: z.array(inbound).optional(),
            user_preferences: z.array(z.looseObject({ wa_id: z.string().optional(), value: z.string() })).optional(),
            statuses: z.array(z.looseObject({ id: z.string(), status: z.string(), recipient_id: z.string().optional() })).optional(),
          }),
        }),
      ),
    }),
  ),
});

/** Accepted at the receiver of the company it is for, worked without a failure, and its effect seen through the API. */
async function webhook({ testApp, stub, file, body: recorded }: Sample): Promise<Level> {
  const { entry } = post.parse(recorded);
  const changes = entry.flatMap((each) => each.changes);
  const values = changes.map((change) => change.value);
  // an ignored update may be of a shape that messages have too
  const read = ignoredReason(file) === undefined ? values : [];
  const company = await companyOf(values[0]?.metadata, entry[0]?.id);
  const subject = changes.flatMap(({ value }) => templateSubject.safeParse(value).data ?? [])[0];
  if (subject) await listTemplate(testApp, stub, company, subject);
  const statuses = read.flatMap((value) => value.statuses ?? []);
  const sent: (SentMessage & { status: string })[] = [];
  for (const { id, status, recipient_id } of statuses) sent.push({ ...(await sendAs(testApp, stub, company, id, recipient_id)), status });

  for (const { from, type } of read.flatMap((value) => value.messages ?? []))
    if (type === 'system' && from !== undefined) await testApp.call(inboundText(company, { from, text: 'Before the change' }));
  await testApp.drain();

  // the files of recorded messages are long gone
  stub.answering(({ method }) =>
    method === 'GET' ? { status: 404, body: { error: { code: 100, error_subcode: 33, message: 'Unsupported get request.' } } } : undefined,
  );
  const body = withIdsOf(company, recorded, testApp.clock.now());
  const answer = await testApp.call(providerPost(company, body));
  expectThat(answer.status >= 200 && answer.status < 300, `the receiver answered ${answer.status} ${answer.raw}`);
  const { failures } = await testApp.drain();
  stub.answering(undefined);
  expectThat(failures === 0, `${failures} deliveries failed: ${lastErrors(testApp)}`);

  for (const message of read.flatMap((value) => value.messages ?? [])) await isStored(testApp, company, message);
  for (const echo of read.flatMap((value) => value.message_echoes ?? [])) await isStored(testApp, company, echo);
  for (const preference of read.flatMap((value) => value.user_preferences ?? [])) await isHeeded(testApp, company, preference);
  // a status of our own message carries our reference; the recorded ones, of other senders' messages, are given it where there is no phone
  for (const { reference, isByPhone, ...status } of sent) {
    if (!isByPhone) {
      await testApp.call(providerPost(company, withReference(body, reference)));
      await testApp.drain();
    }
    const expected = reached[status.status];
    const now = await statusOf(testApp, company, status.conversation, status.message);
    if (expected !== undefined) expectThat(now === expected, `the message has status ${now} after "${status.status}", not ${expected}`);
  }
  if (ignoredReason(file) !== undefined) {
    const archived = (await testApp.dump({ kind: 'archived-update', companyId: company.id })).length;
    expectThat(archived > 0 || subject !== undefined, 'the ignored update is not stored');
    return 'ignored';
  }
  for (const { field, value } of changes) {
    if (subject) await templateShows(testApp, company, field, value);
    else if (field.startsWith('account_') || field.startsWith('phone_number_') || field.startsWith('business_'))
      await numberShows(testApp, company, field, value);
    else if (field === 'calls') await callShows(testApp, company, value);
  }
  const isState = changes.some(({ field }) => subject ?? /^(account_|phone_number_|business_|calls$)/.test(field));
  const isCompared =
    isState ||
    sent.some(({ status }) => reached[status] !== undefined) ||
    values.some((value) => [value.messages, value.message_echoes, value.user_preferences].some((each) => (each?.length ?? 0) > 0));
  return isCompared ? 'effect' : 'answered';
}

function withReference(body: unknown, reference: string): unknown {
  const copy = post.parse(structuredClone(body));
  for (const { changes } of copy.entry)
    for (const { value } of changes) for (const status of value.statuses ?? []) status['biz_opaque_callback_data'] = reference;
  return copy;
}

const templateSubject = z.looseObject({
  message_template_id: z.union([z.string(), z.number()]).transform(String),
  message_template_name: z.string(),
  message_template_language: z.string(),
});

/** The template that the post is about, as the provider lists it before. */
async function listTemplate(
  testApp: TestApp,
  stub: ProviderStub,
  company: TestCompany,
  subject: z.output<typeof templateSubject>,
): Promise<void> {
  const listed = {
    id: subject.message_template_id,
    name: subject.message_template_name,
    language: subject.message_template_language,
    status: 'PENDING',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Before.' }],
  };
  // as on a machine that is busy: a post that was given its time before this would be older than the list, and change nothing
  testApp.clock.advance(1_000);
  stub.answering(({ method }) => (method === 'GET' ? { status: 200, body: { data: [listed] } } : undefined));
  await testApp.call({ method: 'POST', path: '/api/v1/templates/sync', token: company.tokens.owner });
  await testApp.drain();
  stub.answering(undefined);
}

/** Status, quality, category or components are those of the post. */
async function templateShows(testApp: TestApp, company: TestCompany, field: string, value: Record<string, unknown>): Promise<void> {
  const { body } = await testApp.call({ method: 'GET', path: '/api/v1/templates?status=all', token: company.tokens.owner });
  const [shown] = z.object({ data: z.array(z.looseObject({})) }).parse(body).data;
  const text = JSON.stringify(shown);
  const name = { message_template_quality_update: 'new_quality_score', template_category_update: 'new_category' }[field];
  const wanted = String(value[field === 'message_template_components_update' ? 'message_template_element' : (name ?? 'event')]);
  // a flagged template can still be sent until the date that comes with it
  const isShown = wanted === 'FLAGGED' ? text.includes('"disable_date":"2') : text.includes(JSON.stringify(wanted).slice(1, -1));
  expectThat(isShown, `${field}: the template does not show ${wanted}: ${text}`);
}

/** What the provider says of the number or its account is what the number shows. */
async function numberShows(testApp: TestApp, company: TestCompany, field: string, value: Record<string, unknown>): Promise<void> {
  const { body } = await testApp.call({ method: 'GET', path: '/api/v1/numbers', token: company.tokens.owner });
  const [shown] = z.object({ data: z.array(z.looseObject({})) }).parse(body).data;
  const text = JSON.stringify(shown);
  const event = String(value['event']);
  const restrictions = z
    .array(z.looseObject({ restriction_type: z.string() }))
    .catch([])
    .parse(value['restriction_info']);
  const wanted =
    restrictions.length > 0
      ? restrictions.map(({ restriction_type }) => restriction_type)
      : field === 'phone_number_quality_update'
        ? [event === 'FLAGGED' ? 'RED' : 'GREEN', String(value['current_limit'])]
        : field === 'business_capability_update'
          ? [String(value['max_daily_conversations_per_business'])]
          : [accountField(field, value)];
  for (const each of wanted) expectThat(text.includes(each), `the number does not show ${each}: ${text}`);
}

/** The field of the number that an event of its account, or a verdict about it, is shown in. */
function accountField(field: string, value: Record<string, unknown>): string {
  const {
    event,
    decision,
    ban_info: ban,
  } = z
    .looseObject({
      event: z.string().optional(),
      decision: z.string().optional(),
      ban_info: z.looseObject({ waba_ban_state: z.string() }).optional(),
    })
    .parse(value);
  const shown = (name: string, state: string | undefined): string => JSON.stringify({ [name]: state }).slice(1, -1);
  if (decision !== undefined) return shown(field === 'account_review_update' ? 'account_review' : 'name_status', decision);
  if (event === 'VERIFIED_ACCOUNT') return shown('account_review', 'VERIFIED');
  const state = ban?.waba_ban_state ?? event;
  return shown('account_state', /RECONNECTED|REINSTATE/.test(state ?? '') ? 'ACTIVE' : state);
}

/** A call of a contact is in its conversation. */
async function callShows(testApp: TestApp, company: TestCompany, value: Record<string, unknown>): Promise<void> {
  const [call] = z.array(z.looseObject({ id: z.string() })).parse(value['calls']);
  const found = (await allMessages(testApp, company)).filter(
    ({ fb_message_id, subtype }) => fb_message_id === call?.id && subtype === 'call',
  );
  expectThat(found.length === 1, `the call is in the conversations ${found.length} times`);
}

/** What a message that was sent shows after a status. */
const reached: Readonly<Record<string, number>> = { sent: 2, delivered: 3, read: 4, played: 4, failed: 5 };

/** An answer that names a message is an acceptance, with that message's id. */
function sendAnswer({ body }: Sample): Level {
  const { messages } = z.looseObject({ messages: z.array(z.looseObject({ id: z.string() })).optional() }).parse(body);
  const read = classifyResponse(200, body);
  if (!messages) return 'ignored';
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
function companyOf(
  metadata: { phone_number_id: string; display_phone_number?: string | undefined } | undefined,
  wabaId = '',
): Promise<TestCompany> {
  const isDigits = (text: string | undefined): text is string => text !== undefined && /^[0-9]{8,15}$/.test(text);
  return newCompany({
    ...(/^[0-9]+$/.test(metadata?.phone_number_id ?? '') ? { phoneNumberId: metadata?.phone_number_id ?? '' } : {}),
    ...(isDigits(metadata?.display_phone_number) ? { phone: metadata?.display_phone_number ?? '' } : {}),
    ...(/^[0-9]+$/.test(wabaId) ? { wabaId } : {}),
  });
}

/**
 * The post as it is sent to the company `now` (epoch milliseconds), with its ids in place of others: documented ones are placeholders, and a
 * post may name several numbers.
 */
const withIdsOf = (company: TestCompany, body: unknown, now: number): unknown =>
  JSON.parse(
    JSON.stringify(body, function (this: unknown, name: string, value: unknown): unknown {
      if (name === 'phone_number_id') return company.number.phoneNumberId;
      if (name === 'display_phone_number') return company.number.phone;
      const isEntry = typeof this === 'object' && this !== null && 'changes' in this;
      // a recorded time is older than what the company knows of its templates
      if (name === 'time' && isEntry) return Math.floor(now / 1_000);
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

async function sendAs(testApp: TestApp, stub: ProviderStub, company: TestCompany, wamid: string, to = ''): Promise<SentMessage> {
  stub.answering(() => ({ status: 200, body: { messaging_product: 'whatsapp', messages: [{ id: wamid }] } }));
  const sendTo = (phone: string) =>
    testApp.call({
      method: 'POST',
      path: '/api/v1/messages/text',
      token: company.tokens.owner,
      body: { phone: `+${phone}`, message: 'The message of the status' },
    });
  const named = /^[0-9]{8,15}$/.test(to) ? await sendTo(to) : undefined;
  // recorded phones are not always possible ones
  const isByPhone = named?.status === 200;
  const answer = named?.status === 200 ? named : await sendTo('16505551234');
  stub.answering(undefined);
  await testApp.drain();
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

/** What each kind is shown as. */
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
    if (part(interactive)['type'] === undefined) return { message_type: 1, subtype: 'unsupported', value: '' };
    const subtype = String(part(interactive)['type']);
    const reply = part(part(interactive)[subtype]);
    if (!['button_reply', 'list_reply', 'nfm_reply'].includes(subtype)) return { message_type: 1, subtype, value: '' };
    if (subtype === 'nfm_reply') return { message_type: 5, subtype, value: String(reply['response_json']) };
    return { message_type: 1, subtype, value: String(reply['title']) };
  },
  reaction: ({ reaction }) => ({
    message_type: 1,
    subtype: part(reaction)['emoji'] ? 'reaction' : 'reaction_removed',
    value: words(part(reaction)['emoji']),
  }),
  order: ({ order }) => ({ message_type: 1, subtype: 'order', value: words(part(order)['text']) }),
  voice: () => ({ message_type: 2, subtype: 'voice', value: '' }),
  unknown: () => ({ message_type: 1, subtype: 'unknown', value: '' }),
  system: ({ system }) => ({ message_type: 1, subtype: 'system', value: String(part(system)['body']) }),
  unsupported: () => ({ message_type: 1, subtype: 'unsupported', value: '' }),
  revoke: () => ({ message_type: 1, subtype: 'revoke', value: '' }),
  edit: () => ({ message_type: 1, subtype: 'edit' }),
  request_welcome: () => ({ message_type: 1, subtype: 'request_welcome', value: '' }),
};

const part = (value: unknown): Record<string, unknown> => z.looseObject({}).catch({}).parse(value);

/** In the conversation of who wrote it, as its kind; a message of no one (placeholders in place of a phone) is kept whole. */
async function isStored(testApp: TestApp, company: TestCompany, message: Inbound): Promise<void> {
  const isPresent = /^[0-9]{7,15}$/.test(message.from ?? '') || message.from_user_id !== undefined;
  if (!isPresent) {
    const stored = (await testApp.dump()).filter((item) => item['kind'] === 'archived-update' && item['companyId'] === company.id);
    if (stored.some((item) => String(item['body']).includes(message.id))) return;
  }
  const found = (await allMessages(testApp, company)).filter(({ fb_message_id }) => fb_message_id === message.id);
  expectThat(found.length === 1, `${message.id} is in the conversations ${found.length} times`);
  const expected: Record<string, unknown> | undefined = shownAs[message.type]?.(message);
  expectThat(expected !== undefined, `nobody knows how a message of type ${message.type} is shown`);
  const shown: Record<string, unknown> = { ...found[0] };
  for (const [field, value] of Object.entries(expected ?? {}))
    expectThat(shown[field] === value, `${field} of the message is ${JSON.stringify(shown[field])}, not ${JSON.stringify(value)}`);
}

async function isHeeded(
  testApp: TestApp,
  company: TestCompany,
  { wa_id, value }: { wa_id?: string | undefined; value: string },
): Promise<void> {
  const { body } = await testApp.call({ method: 'GET', path: '/api/v1/contacts', token: company.tokens.owner });
  const { data } = z.object({ data: z.array(z.object({ phone: z.string(), marketing_blocked: z.boolean() })) }).parse(body);
  const blocked = data.find(({ phone }) => phone === wa_id)?.marketing_blocked;
  expectThat(blocked === (value === 'stop'), `marketing_blocked is ${String(blocked)} after ${value}`);
}

async function allMessages(testApp: TestApp, company: TestCompany) {
  const token = company.tokens.owner;
  const { body } = await testApp.call({ method: 'GET', path: '/api/v1/conversations', token });
  const { data } = z.object({ data: z.array(z.object({ id: z.int() })) }).parse(body);
  return (await Promise.all(data.map(({ id }) => messagesOf(testApp, company, id)))).flat();
}

async function statusOf(testApp: TestApp, company: TestCompany, conversation: number, message: number): Promise<number | undefined> {
  return (await messagesOf(testApp, company, conversation)).find(({ id }) => id === message)?.status;
}

async function messagesOf(testApp: TestApp, company: TestCompany, conversation: number) {
  const path = `/api/v1/conversations/${conversation}/messages`;
  const { body } = await testApp.call({ method: 'GET', path, token: company.tokens.owner });
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

function lastErrors(testApp: TestApp): string {
  return JSON.stringify(testApp.logs.filter((line) => line['level'] === 'ERROR').slice(-2));
}

function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
