import * as z from 'zod';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';

/** Updates of kinds nobody reads yet: kept for thirty days, so that nothing the provider said is lost. In parts, as an item has 400 KB. */
const archivedUpdateEntity = entity({
  name: 'kept-update',
  purpose: 'A webhook update of a kind that is not read yet',
  attributes: z.object({
    companyId: z.int(),
    id: z.string(),
    part: z.int(),
    parts: z.int(),
    field: z.string(),
    body: z.string(),
    receivedAt: z.int(),
  }),
  key: ({ companyId, id, part }: { companyId: number; id: string; part: number }) => ({
    pk: `${tenant(companyId)}#KEPT#${id}`,
    sk: sortable(part),
  }),
  idOf: ({ companyId, id, part }) => ({ companyId, id, part }),
  expiresAt: ({ receivedAt }) => Math.floor(receivedAt / 1_000) + 30 * 86_400,
  example: { pk: 'C#<company>#KEPT#<sha256 of the update>', sk: '<part>' },
});

/** 90,000 characters, none cut in two, are at most 360 KB. */
const part = /[^]{1,90000}/gu;

export const putArchivedUpdate = pattern(
  { question: 'an update of an unread kind is kept', entity: 'kept-update', by: 'PutItem', units: '1 WRU a KB' },
  async (companyId: number, id: string, field: string, body: string, receivedAt: number): Promise<void> => {
    const bodies = body.match(part) ?? [''];
    for (const [index, each] of bodies.entries())
      await archivedUpdateEntity.put({ companyId, id, part: index, parts: bodies.length, field, body: each, receivedAt });
  },
);
