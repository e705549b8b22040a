import * as z from 'zod';
import { defined } from '../../../shared/runtime/defined.ts';
import { log } from '../../../shared/runtime/log.ts';
import type { TemplateAnalyticsDay } from '../contract/analytics.ts';
import type { LibraryTemplate } from '../contract/library.ts';
import { parameterFormats, templateComponent } from '../contract/stored.ts';
import { type AnalyticsDays, dateOf } from '../domain/analytics.ts';
import { type ProviderAccount, providerAccount, type ProviderNumberState, providerNumberState } from '../domain/account-check.ts';
import { toProviderRequest, type TemplateDraft } from '../domain/draft.ts';
import { normalizeLanguage } from '../domain/name.ts';
import type { ProviderTemplate } from '../domain/reconcile.ts';
import { type TemplateRefusal, parseTemplateRefusal, retryAfterSeconds } from '../domain/refusal.ts';
import { callProvider, type ProviderAccess, type ProviderReply, type ProviderRequest } from '../../../shared/provider/call.ts';

/** The provider's template API of one business account. https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/message_templates */
export interface TemplateAccount extends ProviderAccess {
  wabaId: string;
}

export type TemplateCallResult<T> =
  | { outcome: 'done'; value: T }
  /** Proven: the provider rejected the call for good. */
  | { outcome: 'refused'; refusal: TemplateRefusal }
  /** Proven: the provider did nothing; after some time it may. */
  | { outcome: 'busy'; retryAfterSeconds: number }
  /** The call left, and its result is unknown. */
  | { outcome: 'unknown' };

export interface TemplatePage {
  templates: ProviderTemplate[];
  /** Entries that could not be parsed but exist; empty texts where not even the name could be read. */
  unread: { name: string; language: string }[];
  after: string | undefined;
}

/** The provider's answer to a creation; its category may differ from the requested one. */
export interface CreatedTemplate {
  providerId: string;
  status: string;
  category: string | undefined;
}

/** A page of the account's templates, in the provider's order. */
export const listProviderTemplates = (account: TemplateAccount, after: string | undefined): Promise<TemplateCallResult<TemplatePage>> =>
  readPage(account, { ...defined({ after }) });

/** The template of a name and language; `done` without a value when there is none. */
export const findProviderTemplate = async (
  account: TemplateAccount,
  name: string,
  language: string,
): Promise<TemplateCallResult<ProviderTemplate | undefined>> => {
  for (let after: string | undefined; ; ) {
    const page = await readPage(account, { name, ...defined({ after }) });
    if (page.outcome !== 'done') return page;
    // the provider's filter also returns names that only contain this one
    const found = page.value.templates.find((each) => each.name === name && each.language === language);
    if (found || page.value.after === undefined) return { outcome: 'done', value: found };
    after = page.value.after;
  }
};

export const createProviderTemplate = (account: TemplateAccount, draft: TemplateDraft): Promise<TemplateCallResult<CreatedTemplate>> =>
  callTemplates(account, { method: 'POST', body: toProviderRequest(draft) }, (body) => {
    const { data } = created.safeParse(body);
    return data && { providerId: data.id, status: data.status, category: data.category };
  });

/** Templates of the provider's library, which belongs to no account. */
export const listLibraryTemplates = async (
  account: ProviderAccess,
  filter: Record<string, string | undefined>,
): Promise<TemplateCallResult<{ templates: LibraryTemplate[]; isComplete: boolean }>> => {
  const query = { ...defined(filter), limit: String(librarySize) };
  const reply = await callProvider(account, { method: 'GET', path: ['message_template_library'], query, timeoutMs });
  return resultOf(reply, (body) => {
    const { data } = page.safeParse(body);
    if (!data) return undefined;
    const templates = data.data.flatMap((each) => libraryEntry.safeParse(each).data ?? []);
    return { templates: templates.slice(0, librarySize), isComplete: data.paging?.next === undefined };
  });
};

/** Templates of the library that one call shows. */
const librarySize = 50;

/** What the provider counted of a template by day, in order; days of which it has nothing are not there. */
export const listAnalyticsDays = async (
  account: TemplateAccount,
  templateId: string,
  { startMs, endMs }: Pick<AnalyticsDays, 'startMs' | 'endMs'>,
): Promise<TemplateCallResult<TemplateAnalyticsDay[]>> => {
  const days: TemplateAnalyticsDay[] = [];
  const range = { start: String(Math.floor(startMs / 1_000)), end: String(Math.floor(endMs / 1_000)) };
  for (let after: string | undefined; ; ) {
    const query = {
      ...range,
      granularity: 'daily',
      metric_types: 'cost,clicked,delivered,read,sent',
      template_ids: `[${templateId}]`,
      ...(after === undefined ? {} : { after }),
    };
    const reply = await callProvider(account, { method: 'GET', path: [account.wabaId, 'template_analytics'], query, timeoutMs });
    const found = resultOf(reply, (body) => parseAnalytics(body, templateId));
    if (found.outcome !== 'done') return found;
    days.push(...found.value.days);
    after = found.value.after;
    if (after === undefined) return { outcome: 'done', value: days.toSorted((a, b) => (a.date < b.date ? -1 : 1)) };
  }
};

/** Deletes this language only: without the id the provider would delete the name in all languages. */
export const deleteProviderTemplate = (account: TemplateAccount, name: string, providerId: string): Promise<TemplateCallResult<true>> =>
  callTemplates(account, { method: 'DELETE', query: { hsm_id: providerId, name } }, isSuccess);

/** Changes a template. The components are replaced as a whole, and it is reviewed again. */
export const editProviderTemplate = async (
  account: TemplateAccount,
  providerId: string,
  edit: Record<string, unknown>,
): Promise<TemplateCallResult<true>> =>
  resultOf(await callProvider(account, { method: 'POST', path: [providerId], body: edit, timeoutMs }), isSuccess);

/** Ends the pause of a template. */
export const unpauseProviderTemplate = async (account: TemplateAccount, providerId: string): Promise<TemplateCallResult<true>> =>
  resultOf(await callProvider(account, { method: 'POST', path: [providerId, 'unpause'], body: {}, timeoutMs }), isSuccess);

/** Uploads a file as the sample of a media header; its handle. An upload is no media file: it belongs to the app. Repeating it is harmless. */
export const uploadSample = async (
  account: TemplateAccount,
  { bytes, mime, filename }: { bytes: Buffer; mime: string; filename: string },
): Promise<TemplateCallResult<string>> => {
  const app = resultOf(await callProvider(account, { method: 'GET', path: ['app'], query: { fields: 'id' }, timeoutMs }), readId);
  if (app.outcome !== 'done') return app;
  const query = { file_name: filename, file_length: String(bytes.length), file_type: mime };
  const opened = await callProvider(account, { method: 'POST', path: [app.value, 'uploads'], query, timeoutMs });
  const session = resultOf(opened, readId);
  if (session.outcome !== 'done') return session;
  // the id of a session carries its signature as a query
  const [id = '', signature] = session.value.split('?');
  const request = { method: 'POST' as const, path: [id], file: { bytes, offset: 0 }, timeoutMs: uploadTimeoutMs };
  const signed = signature === undefined ? {} : { query: Object.fromEntries(new URLSearchParams(signature)) };
  return resultOf(await callProvider(account, { ...request, ...signed }), (body) => handle.safeParse(body).data?.h);
};

/** What the provider says of the business account itself. */
export const getProviderAccount = (access: ProviderAccess, wabaId: string): Promise<TemplateCallResult<ProviderAccount>> =>
  readState(access, wabaId, providerAccount);

/** What the provider says of a number and of what stands in the way of its messages. */
export const getProviderNumberState = (access: ProviderAccess, phoneNumberId: string): Promise<TemplateCallResult<ProviderNumberState>> =>
  readState(access, phoneNumberId, providerNumberState);

async function readState<T>(access: ProviderAccess, id: string, schema: z.ZodObject & z.ZodType<T>): Promise<TemplateCallResult<T>> {
  const query = { fields: Object.keys(schema.shape).join(',') };
  return resultOf(await callProvider(access, { method: 'GET', path: [id], query, timeoutMs }), (body) => schema.safeParse(body).data);
}

const uploadTimeoutMs = 20_000;

async function readPage(account: TemplateAccount, query: Record<string, string>): Promise<TemplateCallResult<TemplatePage>> {
  const read = (fields: string) =>
    callTemplates(account, { method: 'GET', query: { fields, limit: String(pageSize), ...query } }, parsePage);
  const page = await read(`${basicFields},optimization_spec`);
  // a version of the API from before max prices knows no such field, and shows nothing else either
  const isUnknownField = page.outcome === 'refused' && page.refusal.code === 100 && page.refusal.subcode === undefined;
  return isUnknownField ? read(basicFields) : page;
}

const basicFields = 'name,status,category,language,components,quality_score,rejected_reason,parameter_format';
/** As in the provider's own examples. */
const pageSize = 100;
/** Long enough for the provider, short enough for a caller that waits. */
const timeoutMs = 10_000;
/** When the provider could not be reached. */
const unsentRetrySeconds = 5;

async function callTemplates<T>(
  account: TemplateAccount,
  request: Omit<ProviderRequest, 'path' | 'timeoutMs'>,
  read: (body: unknown) => T | undefined,
): Promise<TemplateCallResult<T>> {
  return resultOf(await callProvider(account, { ...request, path: [account.wabaId, 'message_templates'], timeoutMs }), read);
}

function resultOf<T>(reply: ProviderReply, read: (body: unknown) => T | undefined): TemplateCallResult<T> {
  if (reply.outcome === 'unsent') return { outcome: 'busy', retryAfterSeconds: unsentRetrySeconds };
  if (reply.outcome === 'lost') return { outcome: 'unknown' };
  const isGood = reply.status >= 200 && reply.status < 300;
  const value = isGood ? read(reply.body) : undefined;
  return value === undefined ? toFailure(reply) : { outcome: 'done', value };
}

type AnsweredCall = Extract<ProviderReply, { outcome: 'answered' }>;

/** A readable error decides, whatever the HTTP status; without one only a 4xx proves that nothing was done. */
function toFailure(reply: AnsweredCall): TemplateCallResult<never> {
  const refusal = parseTemplateRefusal(reply.body);
  if (refusal) {
    log.info('The provider refused a template call', { provider_code: refusal.code, status: reply.status });
    const wait = retryAfterSeconds(refusal);
    return wait === undefined
      ? { outcome: 'refused', refusal }
      : { outcome: 'busy', retryAfterSeconds: retryAfterOf(reply.headers) ?? wait };
  }
  if (reply.status === 429) return { outcome: 'busy', retryAfterSeconds: retryAfterOf(reply.headers) ?? 60 };
  if (reply.status < 400 || reply.status >= 500 || reply.status === 408) return { outcome: 'unknown' };
  const unread = {
    code: reply.status,
    subcode: undefined,
    title: 'Refused by the provider',
    details: `HTTP ${reply.status}`,
    about: undefined,
  };
  return { outcome: 'refused', refusal: { ...unread, fix: 'See details.', retryable: false } };
}

const usage = z.record(z.string(), z.array(z.looseObject({ estimated_time_to_regain_access: z.number().optional() })));
const maxWaitSeconds = 3_600;

/** Seconds to wait, from the provider's usage header (in minutes) or Retry-After. */
function retryAfterOf(headers: AnsweredCall['headers']): number | undefined {
  const minutes = usageOf(headers['x-business-use-case-usage']);
  const seconds = minutes ? minutes * 60 : Number(headers['retry-after'] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(maxWaitSeconds, Math.ceil(seconds)) : undefined;
}

function usageOf(header: string | string[] | undefined): number {
  if (typeof header !== 'string') return 0;
  try {
    const { data } = usage.safeParse(JSON.parse(header));
    return Math.max(0, ...Object.values(data ?? {}).flatMap((each) => each.map((one) => one.estimated_time_to_regain_access ?? 0)));
  } catch {
    return 0;
  }
}

const providerId = z.union([z.string().regex(/^\d{1,32}$/), z.int().nonnegative()]).transform(String);
const upperCaseWord = z
  .string()
  .min(1)
  .max(64)
  .transform((value) => value.toUpperCase());
const optionalText = z.string().max(2_000).optional().catch(undefined);

const nameAndLanguage = z.looseObject({
  name: z.string().min(1).max(512),
  language: z.string().min(1).max(20).transform(normalizeLanguage),
});

/** Types of components and buttons come in either case. */
const providerComponents = z
  .array(z.unknown())
  .transform((components) => components.map(inUpperCase))
  .pipe(z.array(templateComponent));

const providerTemplate = nameAndLanguage.extend({
  id: providerId,
  status: upperCaseWord,
  category: upperCaseWord.catch('UNKNOWN'),
  components: providerComponents.default([]),
  parameter_format: upperCaseWord.pipe(z.enum(parameterFormats)).catch('POSITIONAL'),
  rejected_reason: optionalText,
  quality_score: z
    .union([z.string(), z.looseObject({ score: z.string() }).transform(({ score }) => score)])
    .optional()
    .catch(undefined),
  message_send_ttl_seconds: z.int().optional().catch(undefined),
  optimization_spec: z.looseObject({ bid_amount: z.coerce.number().int().positive() }).optional().catch(undefined),
});

const page = z.looseObject({
  data: z.array(z.unknown()),
  paging: z.looseObject({ next: z.string().optional(), cursors: z.looseObject({ after: z.string().optional() }).optional() }).optional(),
});

const words = z.array(z.string().max(2_000)).max(100).catch([]);
const libraryEntry = nameAndLanguage
  .extend({
    category: upperCaseWord,
    topic: optionalText,
    usecase: optionalText,
    industry: words,
    header: optionalText,
    body: z.string().max(10_000),
    body_params: words,
    body_param_types: words,
    buttons: z
      .array(z.looseObject({ type: upperCaseWord, text: optionalText }))
      .max(10)
      .catch([]),
  })
  .transform(
    (entry): LibraryTemplate => ({
      name: entry.name,
      language: entry.language,
      category: entry.category,
      topic: entry.topic ?? null,
      use_case: entry.usecase ?? null,
      industries: entry.industry,
      header: entry.header ?? null,
      body: entry.body,
      body_examples: entry.body_params,
      body_types: entry.body_param_types,
      buttons: entry.buttons.map((button) => ({ ...button, text: button.text ?? null })),
    }),
  );

const points = page.extend({ data: z.array(z.looseObject({ data_points: z.array(z.unknown()) })) });
const figure = z.int().nonnegative().nullable().catch(null);
/** Beyond it no time can be written. */
const lastSecond = 8_640_000_000_000;
const dataPoint = z.looseObject({
  template_id: providerId,
  start: z.int().nonnegative().max(lastSecond),
  sent: figure,
  delivered: figure,
  read: figure,
  clicked: z
    .array(z.looseObject({ type: z.string().max(64), button_content: z.string().max(2_000).catch(''), count: z.int().nonnegative() }))
    .max(100)
    .nullable()
    .catch(null),
  cost: z.array(z.looseObject({ type: z.string(), value: z.number().optional().catch(undefined) })).catch([]),
});

const created = z.looseObject({
  id: providerId,
  status: upperCaseWord.catch('PENDING'),
  category: upperCaseWord.optional().catch(undefined),
});
const handle = z.looseObject({ h: z.string().min(1) });
const readId = (body: unknown): string | undefined => withId.safeParse(body).data?.id;
const withId = z.looseObject({ id: z.string().min(1) });
const done = z.looseObject({ success: z.literal(true) });
const isSuccess = (body: unknown): true | undefined => done.safeParse(body).success || undefined;

function parsePage(body: unknown): TemplatePage | undefined {
  const { data } = page.safeParse(body);
  if (!data) return undefined;
  const templates: ProviderTemplate[] = [];
  const unread: TemplatePage['unread'] = [];
  for (const each of data.data) {
    const parsed = providerTemplate.safeParse(each);
    if (parsed.success) templates.push(toProviderTemplate(parsed.data));
    else {
      const { data: name } = nameAndLanguage.safeParse(each);
      unread.push(name ?? { name: '', language: '' });
      log.warn('The provider shows a template that cannot be read');
    }
  }
  const { paging } = data;
  return { templates, unread, after: paging?.next === undefined ? undefined : paging.cursors?.after };
}

function parseAnalytics(body: unknown, templateId: string): { days: TemplateAnalyticsDay[]; after: string | undefined } | undefined {
  const { data } = points.safeParse(body);
  if (!data) return undefined;
  const days = data.data
    .flatMap((product) => product.data_points)
    .flatMap((each): TemplateAnalyticsDay[] => {
      const { data: point } = dataPoint.safeParse(each);
      if (!point) log.warn('The provider shows a day of a template that cannot be read');
      if (point?.template_id !== templateId) return [];
      const { start, sent, delivered, read, clicked, cost } = point;
      return [
        {
          date: dateOf(start * 1_000),
          sent,
          delivered,
          read,
          clicked: clicked && clicked.map(({ type, button_content: label, count }) => ({ type, text: label, count })),
          amount_spent: cost.find(({ type }) => type === 'amount_spent')?.value ?? null,
        },
      ];
    });
  const { paging } = data;
  return { days, after: paging?.next === undefined ? undefined : paging.cursors?.after };
}

function toProviderTemplate(shown: z.output<typeof providerTemplate>): ProviderTemplate {
  return {
    providerId: shown.id,
    name: shown.name,
    language: shown.language,
    status: shown.status,
    category: shown.category,
    parameterFormat: shown.parameter_format,
    components: shown.components,
    rejectedReason: shown.rejected_reason === 'NONE' ? undefined : shown.rejected_reason,
    qualityScore: shown.quality_score,
    messageTtlSeconds: shown.message_send_ttl_seconds,
    bidAmount: shown.optimization_spec?.bid_amount,
  };
}

const kindFields = new Set(['type', 'format', 'otp_type']);

function inUpperCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inUpperCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]): [string, unknown] => [
      name,
      kindFields.has(name) && typeof each === 'string' ? each.toUpperCase() : name === 'example' ? each : inUpperCase(each),
    ]),
  );
}
