import * as z from 'zod';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';

/** Webhook updates of unknown kinds, stored for thirty days so that none is lost. In parts, because an item holds 400 KB. */
const archivedUpdateEntity = entity({
  name: 'archived-update',
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
    pk: `${tenant(companyId)}#ARCHIVED#${id}`,
    sk: sortable(part),
  }),
  idOf: ({ companyId, id, part }) => ({ companyId, id, part }),
  expiresAt: ({ receivedAt }) => Math.floor(receivedAt / 1_000) + 30 * 86_400,
  example: { pk: 'C#<company>#ARCHIVED#<sha256 of the update>', sk: '<part>' },
});

/** 90,000 whole characters are at most 360 KB. */
const part = /[^]{1,90000}/gu;

export const putArchivedUpdate = pattern(
  { question: 'an update of an unread kind is kept', entity: 'archived-update', by: 'PutItem', units: '1 WRU a KB' },
  async (companyId: number, id: string, field: string, body: string, receivedAt: number): Promise<void> => {
    const bodies = body.match(part) ?? [''];
    for (const [index, each] of bodies.entries())
      await archivedUpdateEntity.put({ companyId, id, part: index, parts: bodies.length, field, body: each, receivedAt });
  },
);
