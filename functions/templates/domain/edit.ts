import { dayMs } from '../../../shared/runtime/clock.ts';
import type { StoredTemplate } from '../contract/stored.ts';
import type { TemplateEdit } from '../contract/template.ts';
import { toDraft, type TemplateDraft } from './draft.ts';
import { editableStatuses } from './status.ts';

/** The provider's limits of edits. https://developers.facebook.com/docs/whatsapp/business-management-api/message-templates#edit-a-message-template */

const maxPerDay = 1;
const maxPer30Days = 10;
const countedMs = 30 * dayMs;

export const isEditable = ({ status, claim }: StoredTemplate): boolean => editableStatuses.includes(status) && claim === undefined;

/** How often the components of an approved template can be changed yet, by our own count; undefined: there is no such limit. */
export const editsLeft = ({ status, editedAt = [] }: StoredTemplate, at: number): { today: number; in30Days: number } | undefined => {
  if (status !== 'APPROVED') return undefined;
  const within = (ms: number): number => editedAt.filter((each) => each > at - ms).length;
  const in30Days = Math.max(0, maxPer30Days - within(countedMs));
  return { today: Math.min(in30Days, Math.max(0, maxPerDay - within(dayMs))), in30Days };
};

/** Seconds until an approved template can be changed again; undefined: it can be now. */
export const editWait = (template: StoredTemplate, at: number): number | undefined => {
  const left = editsLeft(template, at);
  if (!left || left.today > 0) return undefined;
  const times = (template.editedAt ?? []).toSorted((a, b) => b - a);
  const freeAt = Math.max(left.in30Days > 0 ? 0 : (times[maxPer30Days - 1] ?? at) + countedMs, (times[maxPerDay - 1] ?? at) + dayMs);
  return Math.max(1, Math.ceil((freeAt - at) / 1_000));
};

/** The template as it is to be: its name, language and form of parameters never change. */
export const toEditedDraft = (template: StoredTemplate, { components, ...edit }: TemplateEdit): TemplateDraft => {
  const { name, language } = template;
  const common = { name, language, parameter_format: template.parameterFormat, category: edit.category ?? template.category };
  const draft = toDraft({ ...common, ...edit, category: common.category, components: components ?? [] });
  return components ? draft : { ...draft, components: template.components };
};

interface TemplateChange {
  draft: TemplateDraft;
  isContent: boolean;
  /** Not of a max price alone. */
  isReviewed: boolean;
  wasApproved: boolean;
  calledAt: number;
}

/** The row after an edit that the provider took at `calledAt`: it is reviewed again, unless a later webhook showed what came of that. */
export const withEdit = (
  current: StoredTemplate,
  { draft, isContent, isReviewed, wasApproved, calledAt }: TemplateChange,
): StoredTemplate => {
  const counted = [...(current.editedAt ?? []).filter((each) => each > calledAt - countedMs), calledAt].slice(-maxPer30Days);
  const isKnown = current.status !== 'PENDING' && current.statusAt > calledAt;
  return {
    ...current,
    category: draft.category,
    ...(isContent ? { components: draft.components, componentsAt: calledAt } : {}),
    ...(isContent && wasApproved ? { editedAt: counted } : {}),
    ...(draft.messageTtlSeconds === undefined ? {} : { messageTtlSeconds: draft.messageTtlSeconds }),
    ...(draft.bid ? { bid: draft.bid, bidAt: calledAt } : {}),
    ...(!isReviewed || isKnown ? {} : { status: 'PENDING', statusAt: calledAt, rejectedReason: undefined, rejectionInfo: undefined }),
    edit: undefined,
  };
};
