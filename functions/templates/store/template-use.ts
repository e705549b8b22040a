import * as z from 'zod';
import { all, any, below, equals, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import type { TransactionPart } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import type { StoredTemplate } from '../contract/stored.ts';
import { templateEntity } from './template.ts';

/**
 * Running or scheduled work that uses a template, written in the transaction that starts the work and deleted in the one that ends it.
 * While there is one, the template is not deleted.
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

/** How long an interrupted deletion keeps campaigns from using the template. */
export const deletionLeaseMs = 60_000;

/**
 * Parts of the transaction that starts the work. It is refused when the template is no longer approved or is being deleted. 1 WRU for the
 * item, 2 for the check (a transaction doubles both).
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
    return (await templateUseEntity.collect({ pk, consistent: true })).map(({ user }) => user);
  },
);
