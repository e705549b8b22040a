import { canonical } from '../../../shared/runtime/json.ts';
import type { StoredTemplate, TemplateComponent } from '../contract/stored.ts';
import type { ComponentsUpdate, TemplateUpdate } from './webhook-update.ts';
import { isNotOlder, isNewer, supersedesStatus } from './status.ts';

/** A template as the provider lists it. */
export interface ProviderTemplate {
  providerId: string;
  name: string;
  language: string;
  status: string;
  category: string;
  parameterFormat: 'POSITIONAL' | 'NAMED';
  components: TemplateComponent[];
  rejectedReason: string | undefined;
  qualityScore: string | undefined;
  messageTtlSeconds: number | undefined;
  /** Its max price for 1,000 deliveries; undefined: it has none, or the provider did not show it. */
  bidAmount: number | undefined;
}

/**
 * The row of a template after the provider listed it in a response to a request of `readAt`. Updates that a webhook brought with a later
 * time stay. Another provider id is another template, of which nothing was known. Undefined: the row needs no change.
 */
export const applyProviderTemplate = (
  seen: StoredTemplate | undefined,
  provided: ProviderTemplate,
  { companyId, id, wabaId, keyAccount, currency, readAt, at }: TemplateReading,
): StoredTemplate | undefined => {
  const known = seen && (seen.providerId === undefined || seen.providerId === provided.providerId) ? seen : undefined;
  const isStatusNewer =
    !known || known.status === provided.status || supersedesStatus({ status: provided.status, at: readAt }, statusAndTime(known));
  const isNewerThan = (since: number | undefined): boolean => since === undefined || isNotOlder(readAt, since);
  // deleted after the provider was read
  if (known?.id === 0 && known.status === 'DELETED' && !isStatusNewer) return undefined;
  const next: StoredTemplate = {
    companyId,
    id: seen && seen.id > 0 ? seen.id : id,
    name: provided.name,
    language: provided.language,
    category: !known || isNewerThan(known.categoryAt) ? provided.category : known.category,
    status: !known || isStatusNewer ? provided.status : known.status,
    parameterFormat: provided.parameterFormat,
    components: !known || isNewerThan(known.componentsAt) ? provided.components : known.components,
    providerId: provided.providerId,
    wabaId,
    keyAccount: seen ? seen.keyAccount : keyAccount,
    rejectedReason: isStatusNewer ? (provided.rejectedReason ?? undefined) : known?.rejectedReason,
    rejectionInfo:
      known && known.status === 'REJECTED' && (!isStatusNewer || provided.status === 'REJECTED') ? known.rejectionInfo : undefined,
    qualityScore: !known || isNewerThan(known.qualityAt) ? (provided.qualityScore ?? known?.qualityScore) : known.qualityScore,
    messageTtlSeconds: provided.messageTtlSeconds ?? known?.messageTtlSeconds,
    bid: bidAfter(known, provided.bidAmount, { currency, isNewer: isNewerThan(known?.bidAt) }),
    bidAt: known?.bidAt,
    upcomingCategory: known && known.category === provided.category ? known.upcomingCategory : undefined,
    disableAt: known?.disableAt,
    flaggedAt: known?.flaggedAt,
    statusAt: known && (!isStatusNewer || known.status === provided.status) ? known.statusAt : readAt,
    qualityAt: known ? known.qualityAt : readAt,
    categoryAt: known ? known.categoryAt : readAt,
    componentsAt: known ? known.componentsAt : readAt,
    claim: undefined,
    createdBy: known?.createdBy ?? seen?.claim?.operationId,
    edit: known?.edit,
    editedAt: known?.editedAt,
    editedBy: known?.editedBy,
    deletingAt: known?.deletingAt,
    rev: seen?.rev ?? 0,
    createdAt: seen && seen.id > 0 ? seen.createdAt : at,
    updatedAt: at,
  };
  return seen && isSame(seen, next) ? undefined : next;
};

/** A max price is never removed: what is not shown stays. Its currency is that of the account, where that is known by now. */
function bidAfter(
  known: StoredTemplate | undefined,
  amount: number | undefined,
  { currency, isNewer: isLater }: { currency: string | undefined; isNewer: boolean },
): StoredTemplate['bid'] {
  if (amount === undefined || (known?.bid && !isLater)) return known?.bid;
  const named = currency ?? known?.bid?.currency;
  return { amount, ...(named === undefined ? {} : { currency: named }) };
}

/** When, and of which account, a template was read from the provider. */
export interface TemplateReading {
  companyId: number;
  id: number;
  wabaId: string;
  /** In which the account is charged; undefined: not known yet. */
  currency: string | undefined;
  /** The account in the key of a row that is new. */
  keyAccount?: string | undefined;
  readAt: number;
  at: number;
}

/** The same row, confirmed at `readAt`: a sync of one template notes its time, so that earlier webhooks no longer count. */
export const confirmedAt = (template: StoredTemplate, readAt: number): StoredTemplate => {
  const latest = (since: number | undefined): number => Math.max(since ?? 0, readAt);
  return {
    ...template,
    statusAt: latest(template.statusAt),
    qualityAt: latest(template.qualityAt),
    categoryAt: latest(template.categoryAt),
    componentsAt: latest(template.componentsAt),
  };
};

/**
 * The row of a template after a webhook. `syncedAt` is when the last whole sync began to read: what it left unchanged was true then. A
 * template that is not listed yet is stored under the id 0, until a sync reads the rest of it. Undefined: no change, because the update is
 * old, known already, or about another template of this name.
 */
export const applyTemplateUpdate = (
  seen: StoredTemplate | undefined,
  update: TemplateUpdate,
  { syncedAt, ...place }: { companyId: number; wabaId?: string | undefined; keyAccount?: string | undefined; syncedAt: number; at: number },
): StoredTemplate | undefined => {
  const isOther = seen?.providerId !== undefined && seen.providerId !== update.providerId;
  if (isOther && seen.id > 0) return undefined;
  if (isOther && !isNewer(update.at, seen.statusAt)) return undefined;
  const known = isOther ? undefined : seen;
  const row = known ?? newWebhookRow(place, update, seen);
  const since = (aspect: number | undefined): number => Math.max(aspect ?? 0, known && known.id > 0 ? syncedAt : 0);
  const changed = applyByKind(row, update, since);
  if (changed === row) return undefined;
  const next = { ...changed, providerId: row.providerId ?? update.providerId };
  if (known && isSame(known, next)) return isSameTimes(known, next) ? undefined : next;
  return { ...next, updatedAt: place.at };
};

/** What stays of a deleted template: not listed, but enough to recognise an older response of the provider. */
export const tombstone = (template: StoredTemplate, at: number): StoredTemplate => ({
  companyId: template.companyId,
  id: 0,
  name: template.name,
  language: template.language,
  category: template.category,
  status: 'DELETED',
  parameterFormat: template.parameterFormat,
  components: [],
  providerId: template.providerId,
  wabaId: template.wabaId,
  keyAccount: template.keyAccount,
  statusAt: at,
  rev: template.rev + 1,
  createdAt: at,
  updatedAt: at,
});

function applyByKind(row: StoredTemplate, update: TemplateUpdate, since: (aspect: number | undefined) => number): StoredTemplate {
  switch (update.kind) {
    case 'status': {
      const known = { status: row.status, at: since(row.statusAt) };
      if (row.status === update.status) return isNewer(update.at, known.at) ? { ...withFlag(row, update), statusAt: update.at } : row;
      if (!supersedesStatus(update, known)) return row;
      const isRejected = update.status === 'REJECTED';
      return {
        ...withFlag(row, update),
        status: update.status,
        statusAt: update.at,
        rejectedReason: isRejected ? update.reason : undefined,
        rejectionInfo: isRejected ? update.rejectionInfo : undefined,
        category: update.category ?? row.category,
      };
    }
    case 'flag':
      return isNotOlder(update.at, row.flaggedAt ?? 0) ? { ...row, disableAt: update.disableAt, flaggedAt: update.at } : row;
    case 'quality':
      return isNotOlder(update.at, since(row.qualityAt)) ? { ...row, qualityScore: update.score, qualityAt: update.at } : row;
    case 'category':
      if (!isNotOlder(update.at, since(row.categoryAt))) return row;
      return { ...row, category: update.category, upcomingCategory: update.upcoming, categoryAt: update.at };
    case 'components':
      if (!isNotOlder(update.at, since(row.componentsAt)) || row.id === 0) return row;
      return { ...row, components: mergeComponents(row.components, update), componentsAt: update.at };
  }
}

/** APPROVED again: the provider no longer means to disable it. */
function withFlag(row: StoredTemplate, update: { status: string; at: number }): StoredTemplate {
  const isOver = row.disableAt !== undefined && update.status === 'APPROVED' && isNewer(update.at, row.flaggedAt ?? 0);
  return isOver ? { ...row, disableAt: undefined, flaggedAt: update.at } : row;
}

function newWebhookRow(
  { companyId, wabaId, keyAccount, at }: { companyId: number; wabaId?: string | undefined; keyAccount?: string | undefined; at: number },
  update: TemplateUpdate,
  seen: StoredTemplate | undefined,
): StoredTemplate {
  return {
    companyId,
    id: 0,
    name: update.name,
    language: update.language,
    category: '',
    status: '',
    parameterFormat: 'POSITIONAL',
    components: [],
    wabaId: seen?.wabaId ?? wabaId,
    keyAccount: seen ? seen.keyAccount : keyAccount,
    statusAt: 0,
    rev: seen?.rev ?? 0,
    createdAt: at,
    updatedAt: at,
  };
}

/** The texts and buttons of an edit in their places. Media and examples, which the webhook does not carry, stay where they still fit. */
function mergeComponents(components: readonly TemplateComponent[], update: ComponentsUpdate): TemplateComponent[] {
  const part = (type: string): TemplateComponent | undefined => components.find((each) => each.type === type);
  const header = part('HEADER');
  const known = new Set(['HEADER', 'BODY', 'FOOTER', 'BUTTONS']);
  return [
    ...(update.header === undefined
      ? header && header.format !== 'TEXT'
        ? [header]
        : []
      : [{ ...withFittingExamples(header, update.header), type: 'HEADER', format: 'TEXT', text: update.header }]),
    { ...withFittingExamples(part('BODY'), update.body), type: 'BODY', text: update.body },
    ...(update.footer === undefined ? [] : [{ ...part('FOOTER'), type: 'FOOTER', text: update.footer }]),
    ...(update.buttons.length === 0
      ? []
      : [
          {
            type: 'BUTTONS',
            buttons: update.buttons.map((button, index) => ({ ...sameKind(part('BUTTONS')?.buttons?.[index], button.type), ...button })),
          },
        ]),
    ...components.filter(({ type }) => !known.has(type)),
  ];
}

/** The old component; its examples only while they fit the variables of the new text. */
function withFittingExamples(component: TemplateComponent | undefined, text: string): Partial<TemplateComponent> {
  const variables = (value: string): string => [...new Set(value.match(/\{\{\w+\}\}/g))].toSorted().join();
  if (component === undefined || variables(component.text ?? '') === variables(text)) return { ...component };
  const { example: _example, ...rest } = component;
  return rest;
}

function sameKind<B extends { type: string }>(button: B | undefined, type: string): Partial<B> {
  return button?.type === type ? button : {};
}

const statusAndTime = ({ status, statusAt }: StoredTemplate) => ({ status, at: statusAt });

/** Equal except for the times of the updates. */
function isSame(a: StoredTemplate, b: StoredTemplate): boolean {
  return canonical(withoutTimes(a)) === canonical(withoutTimes(b));
}

function isSameTimes(a: StoredTemplate, b: StoredTemplate): boolean {
  return (
    a.statusAt === b.statusAt &&
    a.qualityAt === b.qualityAt &&
    a.categoryAt === b.categoryAt &&
    a.flaggedAt === b.flaggedAt &&
    a.componentsAt === b.componentsAt
  );
}

function withoutTimes(template: StoredTemplate): unknown {
  return { ...template, statusAt: 0, qualityAt: 0, categoryAt: 0, componentsAt: 0, flaggedAt: 0, updatedAt: 0, rev: 0 };
}
