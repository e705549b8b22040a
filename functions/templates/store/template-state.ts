import * as z from 'zod';
import { hourMs } from '../../../shared/runtime/clock.ts';
import { all, any, below, equals, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import type { TransactionPart } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import type { StoredTemplate } from '../contract/stored.ts';
import { templateEntity } from './template.ts';

/** When the last whole sync of a company began to read: what it left unchanged is known to have been so then. */
const templateSyncEntity = entity({
  name: 'template-sync',
  purpose: "When a company's templates were last read whole",
  attributes: z.object({ companyId: z.int(), syncedAt: z.int() }),
  key: ({ companyId }: { companyId: number }) => ({ pk: `${tenant(companyId)}#TEMPLATE_SYNC`, sk: 'SYNC' }),
  idOf: ({ companyId }) => ({ companyId }),
  example: { pk: 'C#<company>#TEMPLATE_SYNC', sk: 'SYNC' },
});

/** Epoch milliseconds; 0: never. */
export const getSyncedAt = pattern(
  { question: 'when were the templates last synced', entity: 'template-sync', by: 'GetItem', units: '1 RRU, read consistently' },
  async (companyId: number): Promise<number> => (await templateSyncEntity.get({ companyId }, { consistent: true }))?.syncedAt ?? 0,
);

/** Of two syncs the one that began later is remembered. */
export const putSyncedAt = pattern(
  { question: 'a whole sync is done', entity: 'template-sync', by: 'PutItem', units: '1 WRU' },
  async (companyId: number, syncedAt: number): Promise<void> => {
    await templateSyncEntity.put({ companyId, syncedAt }, any(missing(), below('syncedAt', syncedAt)));
  },
);

/** The provider's limit of creates an hour is of the business account (provider reference §6). */
const templateCreatesEntity = entity({
  name: 'template-creates',
  purpose: 'When templates were created in a business account within the last hour',
  attributes: z.object({ companyId: z.int(), wabaId: z.string(), at: z.array(z.int()), rev: z.int(), until: z.int() }),
  key: ({ companyId, wabaId }: { companyId: number; wabaId: string }) => ({ pk: `${tenant(companyId)}#TEMPLATE_CREATES`, sk: wabaId }),
  idOf: ({ companyId, wabaId }) => ({ companyId, wabaId }),
  expiresAt: ({ until }) => until,
  example: { pk: 'C#<company>#TEMPLATE_CREATES', sk: '<business account id>' },
});

/** Counts a create within any hour. Seconds to wait when there were `limit` already; undefined: it is counted. */
export const reserveTemplateCreate = pattern(
  { question: 'may one more template be created this hour', entity: 'template-creates', by: 'PutItem', units: '1 RRU and 1-2 WRU' },
  async (companyId: number, wabaId: string, limit: number, at: number): Promise<number | undefined> => {
    for (let seen = await templateCreatesEntity.get({ companyId, wabaId }, { consistent: true }); ; ) {
      const recent = (seen?.at ?? []).filter((each) => each > at - hourMs);
      const [oldest] = recent;
      if (oldest !== undefined && recent.length >= limit) return Math.ceil((oldest + hourMs - at) / 1_000);
      const until = Math.ceil((at + hourMs) / 1_000);
      const next = { companyId, wabaId, at: [...recent, at], rev: (seen?.rev ?? 0) + 1, until };
      const written = await templateCreatesEntity.put(next, seen ? any(missing(), equals('rev', seen.rev)) : missing());
      if (written.done) return undefined;
      seen = written.current;
    }
  },
);

/**
 * Who uses a template in work that runs or is scheduled: written by the context that does the work, in the transaction that starts it
 * (`usingTemplate`), and dropped in the one that ends it (`releasingTemplate`). While there is one, the template is not deleted.
 */
const templateUseEntity = entity({
  name: 'template-use',
  purpose: 'A running or scheduled campaign that needs a template',
  attributes: z.object({ companyId: z.int(), templateId: z.int(), user: z.string(), since: z.int() }),
  key: ({ companyId, templateId, user }: TemplateUse) => ({ pk: `${tenant(companyId)}#TEMPLATE_USE#${templateId}`, sk: user }),
  idOf: ({ companyId, templateId, user }) => ({ companyId, templateId, user }),
  example: { pk: 'C#<company>#TEMPLATE_USE#<template>', sk: '<user, as campaign:12>' },
});

export interface TemplateUse {
  companyId: number;
  templateId: number;
  /** Names the work: `campaign:12`. */
  user: string;
}

/** How long a deletion that was cut off keeps others from using the template. */
export const deletionLeaseMs = 60_000;

/**
 * Parts of the transaction that starts the work: it is refused when the template is not approved any more, or is being deleted.
 * 1 WRU for the note, 2 for the check (a transaction doubles both).
 */
export const createTemplateUseParts = (template: StoredTemplate, user: string, at: number): TransactionPart[] => [
  templateUseEntity.putting({ companyId: template.companyId, templateId: template.id, user, since: at }),
  templateEntity.checking(
    template,
    all(equals('id', template.id), equals('status', 'APPROVED'), any(missing('deletingAt'), below('deletingAt', at - deletionLeaseMs))),
  ),
];

export const deleteTemplateUseParts = (use: TemplateUse): TransactionPart[] => [templateUseEntity.deleting(use)];

export const hasTemplateUses = pattern(
  { question: 'does running or scheduled work use a template', entity: 'template-use', by: 'Query', units: '1 RRU, read consistently' },
  async (companyId: number, templateId: number): Promise<boolean> => {
    const { pk } = templateUseEntity.key({ companyId, templateId, user: '' });
    const { items } = await templateUseEntity.query({ pk, limit: 1, consistent: true });
    return items.length > 0;
  },
);

export const listTemplateUsers = pattern(
  { question: 'which running or scheduled work uses a template', entity: 'template-use', by: 'Query', units: '1 RRU per 4 KB' },
  async (companyId: number, templateId: number): Promise<string[]> => {
    const { pk } = templateUseEntity.key({ companyId, templateId, user: '' });
    const users: string[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const page = await templateUseEntity.query({ pk, consistent: true, after });
      users.push(...page.items.map(({ user }) => user));
      after = page.last;
    } while (after);
    return users;
  },
);
