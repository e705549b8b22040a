import * as z from 'zod';
import { equals, missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import type { TransactionPart } from '../../../shared/table/transaction.ts';

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** Whom a template was sent to by campaigns, one bit a contact, 4,096 ids a row (prevent_template_duplicates). */
const templateReachEntity = entity({
  name: 'template-reach',
  purpose: 'Which of 4,096 contacts are in a campaign of a template, one bit each',
  attributes: z.object({
    companyId: z.int(),
    templateId: z.int(),
    span: z.int(),
    rev: z.int(),
    bits: bytes,
    /** What each campaign under construction added with its present segment: a segment that is repeated finds its own. */
    claims: z.record(z.string(), z.object({ below: z.int(), bits: bytes, few: z.array(z.int()).optional(), at: z.int() })),
  }),
  key: ({ companyId, templateId, span }: TemplateReachId) => ({
    pk: `${tenant(companyId)}#TEMPLATE_REACH#${templateId}`,
    sk: sortable(span),
  }),
  idOf: ({ companyId, templateId, span }) => ({ companyId, templateId, span }),
  example: { pk: 'C#<company>#TEMPLATE_REACH#<template>', sk: '<contact id / 4,096, 16 digits>' },
});

interface TemplateReachId {
  companyId: number;
  templateId: number;
  span: number;
}

export type TemplateReach = ItemOf<typeof templateReachEntity>;

export const getTemplateReach = pattern(
  { question: 'whom campaigns of a template reached', entity: 'template-reach', by: 'GetItem', units: '1 RRU a 4,096 contacts' },
  async (companyId: number, templateId: number, span: number): Promise<TemplateReach> =>
    (await templateReachEntity.get({ companyId, templateId, span }, { consistent: true })) ?? {
      companyId,
      templateId,
      span,
      rev: 0,
      bits: new Uint8Array(),
      claims: {},
    },
);

/** The part that adds to whom a template reached, as it was read. */
export const puttingTemplateReach = (seen: TemplateReach, change: Pick<TemplateReach, 'bits' | 'claims'>): TransactionPart<TemplateReach> =>
  templateReachEntity.putting({ ...seen, ...change, rev: seen.rev + 1 }, seen.rev === 0 ? missing() : equals('rev', seen.rev));

/** False: another campaign added to it since it was read. */
export const updateTemplateReach = pattern(
  { question: 'campaigns of a template reached more contacts', entity: 'template-reach', by: 'PutItem', units: '1 WRU a 4,096 contacts' },
  async (seen: TemplateReach, change: Pick<TemplateReach, 'bits' | 'claims'>): Promise<boolean> =>
    (await templateReachEntity.put({ ...seen, ...change, rev: seen.rev + 1 }, seen.rev === 0 ? missing() : equals('rev', seen.rev))).done,
);
