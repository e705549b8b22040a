import * as z from 'zod';
import { equals, missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';

const keywordsEntity = entity({
  name: 'keywords',
  purpose: "A company's own opt-out and opt-in keywords and the replies to them",
  attributes: z.object({
    companyId: z.int(),
    /** Absent: the default keywords. */
    stop: z.array(z.string()).optional(),
    start: z.array(z.string()).optional(),
    /** Absent: the default reply; empty: none. */
    stopReply: z.string().optional(),
    startReply: z.string().optional(),
    updatedAt: z.int(),
  }),
  key: ({ companyId }: { companyId: number }) => ({ pk: `${tenant(companyId)}#KEYWORDS`, sk: 'KEYWORDS' }),
  idOf: ({ companyId }) => ({ companyId }),
  example: { pk: 'C#<company>#KEYWORDS', sk: 'KEYWORDS' },
});
export type StoredKeywords = ItemOf<typeof keywordsEntity>;

export const getStoredKeywords = pattern(
  { question: "a company's own keywords", entity: 'keywords', by: 'GetItem', units: '0.5 RRU' },
  (companyId: number, options: { consistent?: boolean } = {}): Promise<StoredKeywords | undefined> =>
    keywordsEntity.get({ companyId }, options),
);

/** Refused when the keywords were written since `seen` was read. */
export const putStoredKeywords = pattern(
  { question: "a company's keywords are set", entity: 'keywords', by: 'PutItem', units: '1 WRU' },
  (keywords: StoredKeywords, seen: StoredKeywords | undefined): Promise<Written<StoredKeywords>> =>
    keywordsEntity.put(keywords, seen ? equals('updatedAt', seen.updatedAt) : missing()),
);
