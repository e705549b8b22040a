import { count, happened, reaction, type Consequence } from '../../../shared/events/react.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { storedTemplate, type StoredTemplate, templateEntityName } from '../contract/template-stored.ts';
import { templateStatus } from '../contract/template-event.ts';

/**
 * What follows from a template's change: the totals of its company, in all and by status, and the event when it moves (A53). Creates move
 * nothing; a template that is gone has become DELETED.
 */
export const templateReactions = [
  reaction<StoredTemplate>({ name: templateEntityName, parse: (raw) => storedTemplate.parse(raw) }, (change) => {
    const before = listedOr(change.before);
    const after = listedOr(change.after);
    if (before?.status === after?.status && before?.id === after?.id) return [];
    const totals = [...(before ? totalsOf(before, -1) : []), ...(after ? totalsOf(after, 1) : [])];
    const subject = after?.id === before?.id ? after : before;
    const status = after?.id === before?.id ? after?.status : 'DELETED';
    const wasRefused = before?.claim !== undefined && !after;
    if (!before || wasRefused || status === undefined || status === before.status) return totals;
    const moved = happened(templateStatus, before.companyId, {
      template_id: before.id,
      name: before.name,
      language: before.language,
      category: (subject ?? before).category,
      status,
      previous_status: before.status,
      rejected_reason: subject?.rejectedReason ?? null,
      at: isoTime((status === 'DELETED' && !after ? change.after?.statusAt : after?.statusAt) ?? change.writtenAt),
    });
    return [...totals, moved];
  }),
];

const listedOr = (template: StoredTemplate | undefined): StoredTemplate | undefined =>
  template !== undefined && template.id > 0 ? template : undefined;

const totalsOf = ({ companyId, status }: StoredTemplate, by: number): Consequence[] => [
  count(companyId, templateEntityName, by),
  count(companyId, `${templateEntityName}:${status}`, by),
];
