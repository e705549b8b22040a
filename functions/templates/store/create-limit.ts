import * as z from 'zod';
import { any, equals, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { hourMs } from '../../../shared/runtime/clock.ts';

/** The provider limits creations per hour and business account. */
const templateCreatesEntity = entity({
  name: 'template-creates',
  purpose: 'When templates were created in a business account within the last hour',
  attributes: z.object({ companyId: z.int(), wabaId: z.string(), at: z.array(z.int()), rev: z.int(), until: z.int() }),
  key: ({ companyId, wabaId }: { companyId: number; wabaId: string }) => ({ pk: `${tenant(companyId)}#TEMPLATE_CREATES`, sk: wabaId }),
  idOf: ({ companyId, wabaId }) => ({ companyId, wabaId }),
  expiresAt: ({ until }) => until,
  example: { pk: 'C#<company>#TEMPLATE_CREATES', sk: '<business account id>' },
});

/** Counts a creation within the last hour. Returns seconds to wait when there were `limit` already; undefined: counted. */
export const reserveTemplateCreate = pattern(
  { question: 'may one more template be created this hour', entity: 'template-creates', by: 'PutItem', units: '1 RRU and 1-2 WRU' },
  async (companyId: number, wabaId: string, limit: number, at: number): Promise<number | undefined> => {
    let seen = await templateCreatesEntity.get({ companyId, wabaId }, { consistent: true });
    return retryOnConflict(maxConflicts, async () => {
      const recent = (seen?.at ?? []).filter((each) => each > at - hourMs);
      const [oldest] = recent;
      if (oldest !== undefined && recent.length >= limit) return Math.ceil((oldest + hourMs - at) / 1_000);
      const until = Math.ceil((at + hourMs) / 1_000);
      const next = { companyId, wabaId, at: [...recent, at], rev: (seen?.rev ?? 0) + 1, until };
      const written = await templateCreatesEntity.put(next, seen ? any(missing(), equals('rev', seen.rev)) : missing());
      if (written.done) return undefined;
      seen = written.current;
      return conflict;
    });
  },
);
