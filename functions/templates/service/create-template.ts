import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { type BusinessNumber, listActiveNumbers } from '../../account/service/numbers.ts';
import type { StoredTemplate } from '../contract/stored.ts';
import type { TemplateBody } from '../contract/template.ts';
import { toDraft, type TemplateDraft } from '../domain/draft.ts';
import { applyProviderTemplate, type ProviderTemplate } from '../domain/reconcile.ts';
import { isDuplicateTemplate } from '../domain/refusal.ts';
import { validateTemplate } from '../domain/rules.ts';
import { supersedesStatus } from '../domain/status.ts';
import { createProviderTemplate, type CreatedTemplate, findProviderTemplate } from '../gateway/templates.ts';
import {
  createTemplateRow,
  findTemplatePlace,
  isListedTemplate,
  putTemplateRow,
  getTemplateRow,
  deleteTemplateRow,
  reserveTemplateIds,
} from '../store/template.ts';
import { reserveTemplateCreate } from '../store/create-limit.ts';
import { withSampleHandles } from './sample-files.ts';
import { currencyProblem } from './max-price-currency.ts';
import { providerUnavailable, providerRejected } from './provider-problems.ts';
import { withLibraryTexts } from './template-library.ts';

type CreateProblem = Problem<
  'validation_failed' | 'number_missing' | 'template_exists' | 'provider_rejected' | 'rate_limited' | 'temporarily_unavailable'
>;

/**
 * Creates a template and submits it to the provider. The row is claimed first, so that no other request creates the same, and a webhook
 * that overtakes the provider's response finds it. A lost response is resolved by looking the template up; while that fails, the claim
 * stays, and a repetition looks the template up before it creates it.
 */
export const createTemplate = async (
  companyId: number,
  body: TemplateBody,
  operationId: string,
): Promise<StoredTemplate | CreateProblem> => {
  const wanted = toDraft(body);
  const errors = validateTemplate(wanted, body);
  if (Object.keys(errors).length > 0) return problem('validation_failed', { errors });
  const numbers = await listActiveNumbers(companyId);
  const number = body.number_id === undefined ? numbers[0] : numbers.find(({ id }) => id === body.number_id);
  if (!number)
    return body.number_id === undefined ? problem('number_missing') : invalid('number_id', `There is no active number ${body.number_id}.`);
  const misfit = currencyProblem(body.max_price, number.currency);
  if (misfit) return misfit;
  const accountIds = numbers.map(({ wabaId }) => wabaId);
  const written = await withLibraryTexts(number, wanted);
  if (isProblem(written)) return written;
  const draft = await withSampleHandles(companyId, number, written);
  if (isProblem(draft)) return draft;
  const claimed = await claimName(companyId, draft, { accountId: number.wabaId, accountIds }, operationId);
  if (isProblem(claimed)) return claimed;
  if (claimed.state === 'done') return claimed.row;
  const work = { account: number, draft, operationId, row: claimed.row };
  if (claimed.state === 'new') return submitToProvider(work);
  const found = await findProviderTemplate(number, draft.name, draft.language);
  if (found.outcome === 'refused') return providerRejected(found.refusal);
  if (found.outcome !== 'done') return providerUnavailable(found);
  if (!found.value) return submitToProvider(work);
  const row = await saveCreation(work, (current, at) => withProviderTemplate(current, found.value, number, at));
  return claimed.state === 'resumed' ? row : alreadyExists(row);
};

/** The provider's limit per business account. */
const maxCreatesPerHour = 100;
/** Longer than any request lives: a claim of this age was left by a request that died. */
const claimLeaseMs = 40_000;

interface TemplateCreation {
  account: BusinessNumber;
  draft: TemplateDraft;
  operationId: string;
  row: StoredTemplate;
}

/** new: no claim before this one. resumed: this operation's own. expired: another operation's, left behind. done: created by this one. */
interface ClaimedCreation {
  state: 'new' | 'resumed' | 'expired' | 'done';
  row: StoredTemplate;
}

async function claimName(
  companyId: number,
  draft: TemplateDraft,
  { accountId, accountIds }: { accountId: string; accountIds: readonly string[] },
  operationId: string,
): Promise<ClaimedCreation | Problem<'template_exists'>> {
  const attempt = async (): Promise<ClaimedCreation | Problem<'template_exists'> | typeof conflict> => {
    const { row: seen, keyAccount } = await findTemplatePlace(companyId, draft, accountId, accountIds);
    const at = now();
    const held = seen && isListedTemplate(seen) && seen.status !== 'DELETED' ? seen : undefined;
    if (held && !held.claim) return held.createdBy === operationId ? { state: 'done', row: held } : alreadyExists(held);
    const isOwn = held?.claim?.operationId === operationId;
    if (held?.claim && !isOwn && held.claim.at > at - claimLeaseMs) return alreadyExists(held);
    const claim = { operationId, at };
    const written = held
      ? await putTemplateRow({ ...held, claim }, held)
      : await createTemplateRow(
          claimedRow(draft, { companyId, wabaId: accountId, keyAccount, claim, id: await reserveTemplateIds(companyId, 1) }, seen),
          seen,
        );
    return written.done ? { state: held ? (isOwn ? 'resumed' : 'expired') : 'new', row: written.item } : conflict;
  };
  return retryOnConflict(maxConflicts, attempt);
}

/** The row of a template that the provider does not have yet. */
function claimedRow(
  draft: TemplateDraft,
  {
    companyId,
    wabaId,
    keyAccount,
    claim,
    id,
  }: Pick<StoredTemplate, 'companyId' | 'wabaId' | 'keyAccount' | 'id'> & {
    claim: { operationId: string; at: number };
  },
  seen: StoredTemplate | undefined,
): StoredTemplate {
  return {
    companyId,
    id,
    name: draft.name,
    language: draft.language,
    category: draft.category,
    status: 'PENDING',
    parameterFormat: draft.parameterFormat,
    components: draft.components,
    wabaId,
    keyAccount,
    messageTtlSeconds: draft.messageTtlSeconds,
    bid: draft.bid,
    statusAt: claim.at,
    claim,
    rev: (seen?.rev ?? 0) + 1,
    createdAt: claim.at,
    updatedAt: claim.at,
  };
}

/** Calls the provider. After a proven rejection the claim is released. */
async function submitToProvider(work: TemplateCreation): Promise<StoredTemplate | CreateProblem> {
  const { account, draft, row } = work;
  const calledAt = now();
  const wait = await reserveTemplateCreate(row.companyId, account.wabaId, maxCreatesPerHour, calledAt);
  if (wait !== undefined) {
    await releaseClaim(work);
    return problem('rate_limited', {
      message: `More than ${maxCreatesPerHour} templates an hour.`,
      retryAfterSeconds: wait,
      details: { scope: 'template creates per account and hour', limit: maxCreatesPerHour },
    });
  }
  const answer = await createProviderTemplate(account, draft);
  if (answer.outcome === 'done')
    return loadProviderTexts(work, await saveCreation(work, (current) => withCreated(current, answer.value, calledAt)));
  const isHeld = answer.outcome === 'refused' && isDuplicateTemplate(answer.refusal);
  if (answer.outcome === 'unknown' || isHeld) {
    const found = await findProviderTemplate(account, draft.name, draft.language);
    if (found.outcome === 'done' && found.value) {
      const row = await saveCreation(work, (current, at) => withProviderTemplate(current, found.value, account, at));
      return isHeld ? alreadyExists(row) : row;
    }
    // the call may still reach the provider: the claim stays
    if (answer.outcome === 'unknown') return providerUnavailable(answer);
  }
  await releaseClaim(work);
  return answer.outcome === 'refused' ? providerRejected(answer.refusal, draft.components) : providerUnavailable(answer);
}

/** The provider writes the texts of authentication templates and of its library; sends are checked against them, so they are read back. */
async function loadProviderTexts(work: TemplateCreation, row: StoredTemplate): Promise<StoredTemplate> {
  if (work.draft.category !== 'AUTHENTICATION' && !work.draft.library) return row;
  const found = await findProviderTemplate(work.account, row.name, row.language);
  if (found.outcome === 'done' && found.value)
    return saveCreation({ ...work, row }, (seen, at) => withProviderTemplate(seen, found.value, work.account, at));
  log.warn('The texts of a new template could not be read; the next sync brings them', { company_id: row.companyId });
  return row;
}

/** Writes the result of a creation on top of what webhooks wrote meanwhile. */
async function saveCreation(
  work: TemplateCreation,
  change: (current: StoredTemplate, at: number) => StoredTemplate | undefined,
): Promise<StoredTemplate> {
  let seen = work.row;
  return retryOnConflict(maxConflicts, async () => {
    const next = change(seen, now());
    if (!next) return seen;
    const written = await putTemplateRow({ ...next, createdBy: work.operationId }, seen);
    if (written.done) return written.item;
    // deleted meanwhile: it was created all the same
    if (!written.current || !isListedTemplate(written.current)) return next;
    seen = written.current;
    return conflict;
  });
}

function withCreated(current: StoredTemplate, made: CreatedTemplate, calledAt: number): StoredTemplate {
  const isNewer = supersedesStatus({ status: made.status, at: calledAt }, { status: current.status, at: current.statusAt });
  return {
    ...current,
    providerId: made.providerId,
    category: made.category ?? current.category,
    ...(isNewer ? { status: made.status, statusAt: calledAt } : {}),
    claim: undefined,
    updatedAt: now(),
  };
}

function withProviderTemplate(
  current: StoredTemplate,
  shown: ProviderTemplate | undefined,
  { wabaId, currency }: Pick<BusinessNumber, 'wabaId' | 'currency'>,
  at: number,
): StoredTemplate | undefined {
  return shown && applyProviderTemplate(current, shown, { companyId: current.companyId, id: current.id, wabaId, currency, readAt: at, at });
}

async function releaseClaim({ row }: TemplateCreation): Promise<void> {
  let seen: StoredTemplate | undefined = row;
  await retryOnConflict(maxConflicts, async () => {
    if (!seen?.claim || seen.id !== row.id || (await deleteTemplateRow(seen, undefined))) return;
    seen = await getTemplateRow(row.companyId, row.name, row.language, row.keyAccount);
    return conflict;
  });
}

const alreadyExists = (template: StoredTemplate): Problem<'template_exists'> =>
  problem('template_exists', { details: { template_id: template.id, status: template.status } });
