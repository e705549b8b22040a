import { addToCounter, emitEvent, message, reaction, type Consequence, reactionList } from '../../shared/events/react.ts';
import { canonical } from '../../shared/runtime/json.ts';
import { isoTime } from '../../shared/runtime/clock.ts';
import { numberKind, type StoredNumberState } from '../account/contract/number-state.ts';
import { templateSyncsQueue } from './contract/queue.ts';
import { templateEntityName, templateKind, type StoredTemplate } from './contract/stored.ts';
import { templateView } from './domain/view.ts';
import { templateStatus, templateUpdated } from './contract/event.ts';

/**
 * What follows from a template's change: the company's totals, overall and by status, and `template.status` when the status changed. A
 * creation is no change of status; a removed template counts as DELETED. A change of an active number makes sure that its company has a time of
 * day at which its accounts are read.
 */
export const reactions = reactionList({ sendsTo: [templateSyncsQueue] }, [
  reaction<StoredNumberState>(numberKind, ({ after }) =>
    after?.status === 'active' ? [message(templateSyncsQueue, after.companyId, { company_id: after.companyId, what: 'check' })] : [],
  ),
  reaction<StoredTemplate>(templateKind, (change) => {
    const before = listedOnly(change.before);
    const after = listedOnly(change.after);
    const updated = before && after?.id === before.id ? updateEvents(before, after) : [];
    if (before?.status === after?.status && before?.id === after?.id) return updated;
    const totals = [...(before ? countChanges(before, -1) : []), ...(after ? countChanges(after, 1) : [])];
    const subject = after?.id === before?.id ? after : before;
    const status = after?.id === before?.id ? after?.status : 'DELETED';
    const wasRefused = before?.claim !== undefined && !after;
    if (!before || wasRefused || status === undefined || status === before.status) return [...totals, ...updated];
    const moved = emitEvent(templateStatus, before.companyId, {
      template_id: before.id,
      name: before.name,
      language: before.language,
      category: (subject ?? before).category,
      status,
      previous_status: before.status,
      rejected_reason: subject?.rejectedReason ?? null,
      at: isoTime((status === 'DELETED' && !after ? change.after?.statusAt : after?.statusAt) ?? change.writtenAt),
    });
    return [...totals, moved, ...updated];
  }),
]);

/** What the provider decides about a template, besides its status. Its answer to the creation and its first rating are no change. */
const ratingOf = ({ category, upcomingCategory, qualityScore, disableAt }: StoredTemplate): string =>
  canonical({ category, upcomingCategory, qualityScore, disableAt });

function updateEvents(before: StoredTemplate, after: StoredTemplate): Consequence[] {
  const isFirstRating = before.qualityScore === undefined && ratingOf({ ...before, qualityScore: after.qualityScore }) === ratingOf(after);
  if (before.claim || isFirstRating || ratingOf(before) === ratingOf(after)) return [];
  const { id, name, language, waba_id, status, category, upcoming_category, quality_score, disable_date } = templateView(
    after,
    after.updatedAt,
  );
  const shown = { template_id: id, name, language, waba_id, status, category, upcoming_category, quality_score, disable_date };
  return [emitEvent(templateUpdated, after.companyId, { ...shown, previous_category: before.category, at: isoTime(after.updatedAt) })];
}

const listedOnly = (template: StoredTemplate | undefined): StoredTemplate | undefined =>
  template !== undefined && template.id > 0 ? template : undefined;

const countChanges = ({ companyId, status }: StoredTemplate, by: number): Consequence[] => [
  addToCounter(companyId, templateEntityName, by),
  addToCounter(companyId, `${templateEntityName}:${status}`, by),
];
