import type { FieldErrors } from '../../../shared/contract/problems.ts';
import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { canonical } from '../../../shared/runtime/json.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { type BusinessNumber, getAccountNumber } from '../../account/service/numbers.ts';
import type { StoredTemplate } from '../contract/stored.ts';
import type { TemplateEdit } from '../contract/template.ts';
import { optimizationSpec, type TemplateDraft } from '../domain/draft.ts';
import { editsLeft, editWait, isEditable, toEditedDraft, withEdit } from '../domain/edit.ts';
import { applyProviderTemplate, type ProviderTemplate } from '../domain/reconcile.ts';
import { validateTemplate } from '../domain/rules.ts';
import { editProviderTemplate, findProviderTemplate } from '../gateway/templates.ts';
import { getTemplateById, putTemplateRow } from '../store/template.ts';
import { hasTemplateUses } from '../store/template-use.ts';
import { currencyProblem } from './max-price-currency.ts';
import { providerRejected, providerUnavailable } from './provider-problems.ts';
import { withSampleHandles } from './sample-files.ts';

type UpdateProblem = Problem<
  | 'not_found'
  | 'validation_failed'
  | 'template_not_editable'
  | 'template_in_use'
  | 'number_missing'
  | 'provider_rejected'
  | 'rate_limited'
  | 'temporarily_unavailable'
>;

/**
 * Changes a template at the provider, whose limits are checked first, and then here. The row says that an edit is under way before the provider
 * is called: an operation that is taken up again looks what came of its call, because the provider takes no second one while it reviews.
 */
export const updateTemplate = async (
  companyId: number,
  id: number,
  body: TemplateEdit,
  operationId: string,
): Promise<StoredTemplate | UpdateProblem> => {
  const template = await getTemplateById(companyId, id);
  if (!template) return problem('not_found');
  const isResumed = template.edit?.operationId === operationId;
  if (template.editedBy === operationId) return template;
  const wanted = toEditedDraft(template, body);
  const refused = isResumed ? undefined : await checkEdit(template, wanted, body);
  if (refused) return refused;
  const account = await getAccountNumber(companyId, template.wabaId);
  if (!account) return problem('number_missing');
  const misfit = currencyProblem(body.max_price, account.currency ?? template.bid?.currency);
  if (misfit) return misfit;
  const draft = await withSampleHandles(companyId, account, wanted);
  if (isProblem(draft)) return draft;
  const claimed = isResumed ? template : await claimEdit(template, operationId);
  if (isProblem(claimed)) return claimed;
  const work: TemplateUpdate = { account, draft, body, operationId, row: claimed };
  if (!isResumed) return submitEdit(work);
  const shown = await findProviderTemplate(account, template.name, template.language);
  if (shown.outcome === 'refused') return providerRejected(shown.refusal);
  if (shown.outcome !== 'done') return providerUnavailable(shown);
  return isEdited(work, shown.value) ? saveEdit(work, template.edit?.at ?? now()) : submitEdit(work);
};

/** A max price alone is not reviewed again. */
const isOfPriceAlone = ({ components, category, message_send_ttl_seconds: ttl }: TemplateEdit): boolean =>
  components === undefined && category === undefined && ttl === undefined;

/** Whether the provider shows what a call was to make, whose answer is not known. */
const isEdited = ({ body, draft }: TemplateUpdate, shown: ProviderTemplate | undefined): boolean =>
  isOfPriceAlone(body) ? shown !== undefined && shown.bidAmount === draft.bid?.amount : shown?.status === 'PENDING';

/** Longer than any request lives: an edit of this age was left by a request that died. */
const editLeaseMs = 40_000;

interface TemplateUpdate {
  account: BusinessNumber;
  draft: TemplateDraft;
  body: TemplateEdit;
  operationId: string;
  /** With the claim. */
  row: StoredTemplate;
}

/** Why the template cannot be changed so now. */
async function checkEdit(template: StoredTemplate, draft: TemplateDraft, body: TemplateEdit): Promise<UpdateProblem | undefined> {
  const at = now();
  if (!isEditable(template) || template.providerId === undefined)
    return problem('template_not_editable', { details: { status: template.status, template_id: template.id } });
  const errors = editErrors(template, draft, body);
  if (Object.keys(errors).length > 0) return problem('validation_failed', { errors });
  const wait = body.components ? editWait(template, at) : undefined;
  if (wait !== undefined)
    return problem('rate_limited', {
      message: 'An approved template can be changed once a day and 10 times in 30 days.',
      retryAfterSeconds: wait,
      details: { scope: 'edits of an approved template', edits_left: editsLeft(template, at)?.in30Days ?? 0 },
    });
  return (await hasTemplateUses(template.companyId, template.id)) ? problem('template_in_use') : undefined;
}

function editErrors(template: StoredTemplate, draft: TemplateDraft, body: TemplateEdit): FieldErrors {
  if (isOfPriceAlone(body) && body.max_price === undefined)
    return { components: ['Give the components, the category, message_send_ttl_seconds or max_price.'] };
  // components that stay are the provider's own by now
  const errors = Object.entries(validateTemplate(draft, body.max_price ? { max_price: body.max_price } : {})).filter(
    ([field]) => body.components || !field.startsWith('components'),
  );
  const isMoved = template.status === 'APPROVED' && draft.category !== template.category;
  const isNoMarketing = template.bid !== undefined && draft.category !== 'MARKETING';
  return {
    ...Object.fromEntries(errors),
    ...(isMoved ? { category: ['The category of an approved template cannot be changed.'] } : {}),
    ...(isNoMarketing && !isMoved ? { category: ['A template with a max price stays MARKETING.'] } : {}),
    ...(body.max_price && !template.bid ? { max_price: ['Only a template that was created with a max price can change it.'] } : {}),
  };
}

async function claimEdit(template: StoredTemplate, operationId: string): Promise<StoredTemplate | Problem<'temporarily_unavailable'>> {
  const at = now();
  const busy = () => problem('temporarily_unavailable', { message: 'Another request changes the template.', retryAfterSeconds: 5 });
  if (template.edit && template.edit.at > at - editLeaseMs) return busy();
  const written = await putTemplateRow({ ...template, edit: { operationId, at } }, template);
  return written.done ? written.item : busy();
}

/** Calls the provider. After a proven refusal the claim is released; a lost answer keeps it for the repetition. */
async function submitEdit(work: TemplateUpdate): Promise<StoredTemplate | UpdateProblem> {
  const { account, draft, body, row } = work;
  const calledAt = now();
  const edited = await editProviderTemplate(account, row.providerId ?? '', {
    ...(body.components ? { components: draft.components } : {}),
    ...(body.category === undefined ? {} : { category: draft.category }),
    ...(draft.messageTtlSeconds === undefined ? {} : { message_send_ttl_seconds: draft.messageTtlSeconds }),
    ...(draft.bid ? optimizationSpec(draft.bid) : {}),
  });
  if (edited.outcome === 'done') return saveEdit(work, calledAt);
  if (edited.outcome === 'unknown') {
    const shown = await findProviderTemplate(account, row.name, row.language);
    if (shown.outcome === 'done' && isEdited(work, shown.value)) return saveEdit(work, calledAt);
    return providerUnavailable(edited);
  }
  await saveLatest(row, (current) => ({ ...current, edit: undefined }));
  return edited.outcome === 'refused' ? providerRejected(edited.refusal, draft.components) : providerUnavailable(edited);
}

/** Writes what was changed. Read back: the texts of an authentication template, which the provider writes, and what it makes of another price. */
async function saveEdit({ account, draft, body, operationId, row }: TemplateUpdate, calledAt: number): Promise<StoredTemplate> {
  const isContent = body.components !== undefined;
  const edit = { draft, isContent, isReviewed: !isOfPriceAlone(body), wasApproved: row.status === 'APPROVED', calledAt };
  const saved = await saveLatest(row, (current) => ({ ...withEdit(current, edit), editedBy: operationId, updatedAt: now() }));
  if (!isOfPriceAlone(body) && (!isContent || draft.category !== 'AUTHENTICATION')) return saved;
  const shown = await findProviderTemplate(account, row.name, row.language);
  if (shown.outcome !== 'done' || !shown.value) return saved;
  const { value } = shown;
  return saveLatest(saved, (current) => {
    const at = now();
    const reading = { companyId: current.companyId, id: current.id, wabaId: account.wabaId, currency: account.currency, readAt: at, at };
    return applyProviderTemplate(current, value, reading) ?? current;
  });
}

/** Writes a change on top of what webhooks wrote meanwhile. */
async function saveLatest(row: StoredTemplate, change: (current: StoredTemplate) => StoredTemplate): Promise<StoredTemplate> {
  let seen = row;
  return retryOnConflict(maxConflicts, async () => {
    const next = change(seen);
    if (canonical(next) === canonical(seen)) return seen;
    const written = await putTemplateRow(next, seen);
    if (written.done) return written.item;
    // deleted meanwhile: it was changed all the same
    if (written.current?.id !== row.id) return next;
    seen = written.current;
    return conflict;
  });
}
