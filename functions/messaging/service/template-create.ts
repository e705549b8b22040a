import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { activeNumber } from '../../account/service/numbers.ts';
import type { StoredTemplate } from '../contract/template-stored.ts';
import type { TemplateBody } from '../contract/template.ts';
import { draftOf, type TemplateDraft } from '../domain/template-draft.ts';
import { afterReading, type ProviderTemplate } from '../domain/template-news.ts';
import { isTaken } from '../domain/template-refusal.ts';
import { complaintsAbout } from '../domain/template-rules.ts';
import { statusCounts } from '../domain/template-status.ts';
import { createAtProvider, type CreatedTemplate, lookUpTemplate, type TemplateAccount } from '../gateway/templates.ts';
import { addTemplate, isListed, putTemplateRow, readTemplateRow, removeTemplate, takeTemplateIds } from '../store/template.ts';
import { spendCreate } from '../store/template-state.ts';
import { busy, refused } from './template-answers.ts';

type CreateProblem = Problem<
  'validation_failed' | 'number_missing' | 'template_exists' | 'provider_rejected' | 'rate_limited' | 'temporarily_unavailable'
>;

/**
 * Creates a template and submits it (A34). The row is claimed first, so that a webhook which overtakes the provider's answer finds it, and
 * nobody else creates the same. An answer that is lost is looked for by name and language; when that tells nothing, the claim stays, and a
 * repetition (under the same Idempotency-Key, or later by anyone) goes on from it: the provider is asked for the template before it is
 * asked to make it.
 */
export const createTemplate = async (
  companyId: number,
  body: TemplateBody,
  operationId: string,
): Promise<StoredTemplate | CreateProblem> => {
  const draft = draftOf(body);
  const errors = complaintsAbout(draft, body);
  if (Object.keys(errors).length > 0) return problem('validation_failed', { errors });
  const [number, seen] = await Promise.all([activeNumber(companyId), readTemplateRow(companyId, draft.name, draft.language)]);
  if (!number) return problem('number_missing');
  const claimed = await claim(companyId, draft, number.wabaId, operationId, seen);
  if (isProblem(claimed)) return claimed;
  if (claimed.is === 'done') return claimed.row;
  const work = { account: number, draft, operationId, row: claimed.row };
  if (claimed.is === 'begun') return submit(work);
  const found = await lookUpTemplate(number, draft.name, draft.language);
  if (found.outcome === 'refused') return refused(found.refusal);
  if (found.outcome !== 'done') return busy(found);
  if (!found.value) return submit(work);
  const row = await settle(work, (current, at) => shownAs(current, found.value, number.wabaId, at));
  return claimed.is === 'resumed' ? row : exists(row);
};

/** The provider's limit of an account (provider reference §6). */
const createsPerHour = 100;
/** Longer than any request lives: who holds a claim of this age is gone. */
const claimLeaseMs = 40_000;

interface Work {
  account: TemplateAccount;
  draft: TemplateDraft;
  operationId: string;
  row: StoredTemplate;
}

/** begun: nobody was here before. resumed: this operation was. taken: another was, long ago. done: this operation has made it. */
interface Claimed {
  is: 'begun' | 'resumed' | 'taken' | 'done';
  row: StoredTemplate;
}

async function claim(
  companyId: number,
  draft: TemplateDraft,
  wabaId: string,
  operationId: string,
  found: StoredTemplate | undefined,
): Promise<Claimed | Problem<'template_exists'>> {
  for (let seen = found; ; ) {
    const at = now();
    const held = seen && isListed(seen) && seen.status !== 'DELETED' ? seen : undefined;
    if (held && !held.claim) return held.createdBy === operationId ? { is: 'done', row: held } : exists(held);
    const isOwn = held?.claim?.operationId === operationId;
    if (held?.claim && !isOwn && held.claim.at > at - claimLeaseMs) return exists(held);
    const mine = { operationId, at };
    const written = held
      ? await putTemplateRow({ ...held, claim: mine }, held)
      : await addTemplate(claimRow(await takeTemplateIds(companyId, 1)), seen);
    if (written.done) return { is: held ? (isOwn ? 'resumed' : 'taken') : 'begun', row: written.item };
    seen = written.current;

    function claimRow(id: number): StoredTemplate {
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
        messageTtlSeconds: draft.messageTtlSeconds,
        statusAt: at,
        claim: mine,
        rev: (seen?.rev ?? 0) + 1,
        createdAt: at,
        updatedAt: at,
      };
    }
  }
}

/** Asks the provider to make it. After a proven no the claim is given up. */
async function submit(work: Work): Promise<StoredTemplate | CreateProblem> {
  const { account, draft, row } = work;
  const calledAt = now();
  const wait = await spendCreate(row.companyId, account.wabaId, createsPerHour, calledAt);
  if (wait !== undefined) {
    await giveUp(work);
    return problem('rate_limited', {
      message: `More than ${createsPerHour} templates an hour.`,
      retryAfterSeconds: wait,
      details: { scope: 'template creates per account and hour', limit: createsPerHour },
    });
  }
  const answer = await createAtProvider(account, draft);
  if (answer.outcome === 'done') return withProviderTexts(work, await settle(work, (current) => madeAs(current, answer.value, calledAt)));
  const isHeld = answer.outcome === 'refused' && isTaken(answer.refusal);
  if (answer.outcome === 'unknown' || isHeld) {
    const found = await lookUpTemplate(account, draft.name, draft.language);
    if (found.outcome === 'done' && found.value) {
      const row = await settle(work, (current, at) => shownAs(current, found.value, account.wabaId, at));
      return isHeld ? exists(row) : row;
    }
    // the call may still be on its way there: the claim stays
    if (answer.outcome === 'unknown') return busy(answer);
  }
  await giveUp(work);
  return answer.outcome === 'refused' ? refused(answer.refusal, draft.components) : busy(answer);
}

/** The provider writes the texts of authentication templates itself; a send is checked against them. */
async function withProviderTexts(work: Work, row: StoredTemplate): Promise<StoredTemplate> {
  if (work.draft.category !== 'AUTHENTICATION') return row;
  const found = await lookUpTemplate(work.account, row.name, row.language);
  if (found.outcome === 'done' && found.value)
    return settle({ ...work, row }, (seen, at) => shownAs(seen, found.value, work.account.wabaId, at));
  log.warn('The texts of a new authentication template could not be read; the next sync brings them', { company_id: row.companyId });
  return row;
}

/** Writes what is known now, whatever webhooks have written meanwhile. */
async function settle(work: Work, change: (current: StoredTemplate, at: number) => StoredTemplate | undefined): Promise<StoredTemplate> {
  for (let seen = work.row; ; ) {
    const next = change(seen, now());
    if (!next) return seen;
    const written = await putTemplateRow({ ...next, createdBy: work.operationId }, seen);
    if (written.done) return written.item;
    // deleted by somebody else meanwhile: it was made all the same
    if (!written.current || !isListed(written.current)) return next;
    seen = written.current;
  }
}

function madeAs(current: StoredTemplate, made: CreatedTemplate, calledAt: number): StoredTemplate {
  const isNews = statusCounts({ status: made.status, at: calledAt }, { status: current.status, at: current.statusAt });
  return {
    ...current,
    providerId: made.providerId,
    category: made.category ?? current.category,
    ...(isNews ? { status: made.status, statusAt: calledAt } : {}),
    claim: undefined,
    updatedAt: now(),
  };
}

function shownAs(current: StoredTemplate, shown: ProviderTemplate | undefined, wabaId: string, at: number): StoredTemplate | undefined {
  return shown && afterReading(current, shown, { companyId: current.companyId, id: current.id, wabaId, readAt: at, at });
}

async function giveUp({ row }: Work): Promise<void> {
  for (let seen: StoredTemplate | undefined = row; seen?.claim && seen.id === row.id; ) {
    if (await removeTemplate(seen, undefined)) return;
    seen = await readTemplateRow(row.companyId, row.name, row.language);
  }
}

const exists = (template: StoredTemplate): Problem<'template_exists'> =>
  problem('template_exists', { details: { template_id: template.id, status: template.status } });
