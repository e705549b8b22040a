import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { type BusinessNumber, getAccountNumber, listAccountNumbers } from '../../account/service/numbers.ts';
import type { StoredTemplate } from '../contract/stored.ts';
import { isOfAccount } from '../contract/account.ts';
import { templateKey } from '../domain/name.ts';
import { applyProviderTemplate, confirmedAt, type ProviderTemplate, tombstone } from '../domain/reconcile.ts';
import { findProviderTemplate, listProviderTemplates, type TemplateAccount } from '../gateway/templates.ts';
import {
  createTemplateRow,
  listTemplateRows,
  getTemplateById,
  isListedTemplate,
  putTemplateRow,
  deleteTemplateRow,
  findTemplatePlace,
  reserveTemplateIds,
  type TemplatePlace,
} from '../store/template.ts';
import { putSyncedAt } from '../store/sync.ts';
import { providerUnavailable, providerRejected } from './provider-problems.ts';

export interface SyncCounts {
  /** Templates that the provider listed. */
  synced: number;
  created: number;
  updated: number;
  removed: number;
  /** False: the time ran out before everything was read and written; another sync goes on. */
  isWhole: boolean;
}

type SyncProblem = Problem<'number_missing' | 'provider_rejected' | 'temporarily_unavailable'>;

/**
 * Reads all templates of the company's business accounts, one after the other, and makes the stored ones equal, matched by name and
 * language. Updates that a webhook brought meanwhile stay. No template is removed unless all pages of its own account were read.
 */
export const syncAccount = async (companyId: number, patience: SyncTimeLimits = workerTimeLimits): Promise<SyncCounts | SyncProblem> => {
  const accounts = await listAccountNumbers(companyId);
  if (accounts.length === 0) return problem('number_missing');
  const startedAt = now();
  const watch = stopwatch();
  const total = { synced: 0, created: 0, updated: 0, removed: 0, isWhole: true };
  let refused: SyncProblem | undefined;
  for (const number of accounts) {
    const counts = await syncOneAccount(companyId, number, { accounts, startedAt, watch, patience });
    if (isProblem(counts)) {
      refused ??= counts;
      continue;
    }
    for (const kind of ['synced', 'created', 'updated', 'removed'] as const) total[kind] += counts[kind];
    total.isWhole &&= counts.isWhole;
  }
  if (refused) return refused;
  if (total.isWhole) await putSyncedAt(companyId, startedAt);
  return total;
};

interface AccountSync {
  /** One number of each account of the company, the default number's first. */
  accounts: readonly BusinessNumber[];
  startedAt: number;
  watch: Stopwatch;
  patience: SyncTimeLimits;
}

async function syncOneAccount(
  companyId: number,
  number: BusinessNumber,
  { accounts, startedAt, watch, patience }: AccountSync,
): Promise<SyncCounts | SyncProblem> {
  const reading = await readAccount(number, watch, patience.readingMs);
  if (reading === undefined) return { synced: 0, created: 0, updated: 0, removed: 0, isWhole: false };
  if (isProblem(reading)) return reading;
  const accountIds = accounts.map(({ wabaId }) => wabaId);
  const { own, rows, takenKeys } = rowsOfAccount(await listTemplateRows(companyId), number.wabaId, accountIds);
  const { shown } = reading;
  const isNew = (each: TemplateSnapshot): boolean => !isListedTemplate(rows.get(templateKey(each.template)) ?? { id: 0 });
  const fresh = shown.filter(isNew);
  const firstId = fresh.length > 0 ? await reserveTemplateIds(companyId, fresh.length) : 0;
  const ids = new Map(fresh.map((each, index) => [each, firstId + index]));

  const counts = { synced: reading.shown.length, created: 0, updated: 0, removed: 0, isWhole: true };
  const isInTime = (): boolean => watch() <= patience.workingMs;
  const isWritten = await forEachConcurrently(shown, isInTime, async (each) => {
    const key = templateKey(each.template);
    const keyAccount = takenKeys.has(key) ? number.wabaId : undefined;
    const place = { row: rows.get(key), keyAccount };
    const { outcome } = await saveSnapshot(companyId, place, each, {
      accountId: number.wabaId,
      accountIds,
      currency: number.currency,
      freshId: ids.get(each),
    });
    if (outcome !== 'same') counts[outcome]++;
  });
  // templates of an account that is no longer connected are removed with those of the default number
  const isRemovable = (row: StoredTemplate): boolean => row.wabaId === number.wabaId || number === accounts[0];
  const isAtProvider = (row: StoredTemplate): boolean => reading.keys.has(templateKey(row)) && rows.get(templateKey(row)) === row;
  const gone = own.filter((row) => isListedTemplate(row) && isRemovable(row) && !isAtProvider(row) && canRemove(row, startedAt));
  const isCleared = await forEachConcurrently(reading.hasNameless ? [] : gone, isInTime, async (row) => {
    if (await deleteTemplateRow(row, tombstone(row, startedAt))) counts.removed++;
  });
  return { ...counts, isWhole: isWritten && isCleared };
}

/**
 * The rows that an account may write: its own, and those whose account is not known or has no number any more. `rows` has one for each name
 * and language, its own first. `takenKeys` are the keys that another account's templates have.
 */
function rowsOfAccount(
  stored: readonly StoredTemplate[],
  accountId: string,
  accountIds: readonly string[],
): { own: StoredTemplate[]; rows: Map<string, StoredTemplate>; takenKeys: Set<string> } {
  const own = stored.filter((row) => isOfAccount(row, accountId, accountIds));
  const rows = new Map<string, StoredTemplate>();
  for (const row of own) if (row.wabaId === accountId) rows.set(templateKey(row), row);
  for (const row of own) if (row.keyAccount === undefined && !rows.has(templateKey(row))) rows.set(templateKey(row), row);
  const taken = stored.filter((row) => row.keyAccount === undefined && !isOfAccount(row, accountId, accountIds));
  return { own, rows, takenKeys: new Set(taken.map(templateKey)) };
}

/** Reads one template from the provider. When the provider no longer has it, it is deleted here too, and the answer is not_found. */
export const syncTemplate = async (companyId: number, id: number): Promise<StoredTemplate | SyncProblem | Problem<'not_found'>> => {
  const template = await getTemplateById(companyId, id);
  if (!template) return problem('not_found');
  const number = await getAccountNumber(companyId, template.wabaId);
  if (!number) return problem('number_missing');
  const readAt = now();
  const found = await findProviderTemplate(number, template.name, template.language);
  if (found.outcome === 'refused') return providerRejected(found.refusal);
  if (found.outcome !== 'done') return providerUnavailable(found);
  if (found.value) {
    const place = { row: template, keyAccount: template.keyAccount };
    const snapshot = { template: found.value, readAt };
    const { row } = await saveSnapshot(companyId, place, snapshot, {
      accountId: number.wabaId,
      accountIds: [],
      currency: number.currency,
      freshId: id,
      confirms: true,
    });
    return row ?? problem('not_found');
  }
  if (canRemove(template, readAt)) await deleteTemplateRow(template, tombstone(template, readAt));
  return problem('not_found', { message: 'The provider does not have this template any more.' });
};

/** A template that the provider listed, and when the request was made: the content is of then or later. */
export interface TemplateSnapshot {
  template: ProviderTemplate;
  readAt: number;
}

/**
 * Makes the row equal to the provider's template, unless a newer update is known. `same`: no change. A template that was deleted
 * meanwhile is not restored. `confirms` notes the time of the read even where nothing changed.
 */
export const saveSnapshot = async (
  companyId: number,
  place: TemplatePlace,
  { template, readAt }: TemplateSnapshot,
  { accountId, accountIds, currency, freshId, confirms = false }: SnapshotOptions,
): Promise<{ outcome: 'same' | 'created' | 'updated'; row: StoredTemplate | undefined }> => {
  let { row: seen, keyAccount } = place;
  return retryOnConflict(maxConflicts, async () => {
    const id = freshId ?? (await reserveTemplateIds(companyId, 1));
    const read = applyProviderTemplate(seen, template, { companyId, id, wabaId: accountId, currency, keyAccount, readAt, at: now() });
    const changed = read ?? seen;
    const next = confirms && changed && isListedTemplate(changed) ? confirmedAt(changed, readAt) : read;
    if (!next) return { outcome: 'same', row: seen };
    const isOurs = seen !== undefined && isListedTemplate(seen);
    const written = isOurs ? await putTemplateRow(next, seen) : await createTemplateRow(next, seen);
    if (written.done) return { outcome: isOurs ? 'updated' : 'created', row: written.item };
    if (isOurs && !(written.current && isListedTemplate(written.current))) return { outcome: 'same', row: undefined };
    // another account of the company wrote this name meanwhile
    if (written.current && !isOfAccount(written.current, accountId, accountIds))
      ({ row: seen, keyAccount } = await findTemplatePlace(companyId, template, accountId, accountIds));
    else seen = written.current;
    return conflict;
  });
};

/** The account that a template was read from, all accounts of the company, and the id of a new row. */
interface SnapshotOptions {
  accountId: string;
  accountIds: readonly string[];
  /** In which the account is charged. */
  currency: string | undefined;
  freshId: number | undefined;
  confirms?: boolean;
}

/** Milliseconds for reading all pages, and for the whole sync. */
export interface SyncTimeLimits {
  readingMs: number;
  workingMs: number;
}
/** For a caller that waits: half a minute at most. */
export const syncTimeLimits: SyncTimeLimits = { readingMs: 18_000, workingMs: 24_000 };
/** For a worker: an account may have 6,000 templates, a hundred a page. */
const workerTimeLimits: SyncTimeLimits = { readingMs: 200_000, workingMs: 270_000 };
/** A creation whose response was lost may appear at the provider a little later. */
const claimGraceMs = 60_000;
/** The provider's error for an expired cursor: reading starts again from the first page. */
const invalidCursor = 131_059;

interface AccountSnapshot {
  shown: TemplateSnapshot[];
  /** Includes the templates that could not be parsed. */
  keys: Set<string>;
  /** There is an entry whose name could not be read. */
  hasNameless: boolean;
}

/** All templates of the account; undefined: the time ran out. */
async function readAccount(
  account: TemplateAccount,
  watch: Stopwatch,
  readingMs: number,
  isAgain = false,
): Promise<AccountSnapshot | SyncProblem | undefined> {
  const shown = new Map<string, TemplateSnapshot>();
  const keys = new Set<string>();
  let hasNameless = false;
  for (let after: string | undefined; ; ) {
    const readAt = now();
    if (watch() > readingMs) return undefined;
    const page = await listProviderTemplates(account, after);
    if (page.outcome === 'refused')
      return page.refusal.code === invalidCursor && !isAgain
        ? readAccount(account, watch, readingMs, true)
        : providerRejected(page.refusal);
    if (page.outcome !== 'done') return providerUnavailable(page);
    for (const template of page.value.templates) if (template.status !== 'DELETED') shown.set(templateKey(template), { template, readAt });
    for (const { name, language } of page.value.unread) {
      if (name === '') hasNameless = true;
      else keys.add(templateKey({ name, language }));
    }
    if (page.value.after === undefined || page.value.after === after) break;
    after = page.value.after;
  }
  for (const key of shown.keys()) keys.add(key);
  return { shown: [...shown.values()], keys, hasNameless };
}

/** Not a template that was created, or whose creation began, while the provider was read. */
function canRemove(row: StoredTemplate, startedAt: number): boolean {
  return row.updatedAt < startedAt && !(row.claim && row.claim.at > startedAt - claimGraceMs);
}

/** Milliseconds of real time since its creation. */
type Stopwatch = () => number;
function stopwatch(): Stopwatch {
  const from = performance.now();
  return () => performance.now() - from;
}

/** Eight at a time. False: the time ran out before all were done. */
async function forEachConcurrently<T>(items: readonly T[], isInTime: () => boolean, work: (item: T) => Promise<void>): Promise<boolean> {
  const left = items.values();
  let isDone = true;
  const worker = async (): Promise<void> => {
    for (const item of left) {
      if (isInTime()) await work(item);
      else isDone = false;
    }
  };
  await Promise.all(Array.from({ length: Math.min(8, items.length) }, worker));
  return isDone;
}
