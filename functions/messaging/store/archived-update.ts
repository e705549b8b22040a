import * as z from 'zod';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { dayMs } from '../../../shared/runtime/clock.ts';

const storedArchivedUpdate = z.object({
  companyId: z.int(),
  id: z.string(),
  part: z.int(),
  parts: z.int(),
  field: z.string(),
  body: z.string(),
  receivedAt: z.int(),
});
export type ArchivedUpdate = z.output<typeof storedArchivedUpdate>;

export const archivedDays = 30;

/** By day, so that an erasure finds all of them. */
const partition = (companyId: number, atMs: number): string => `${tenant(companyId)}#ARCHIVED#${sortable(Math.floor(atMs / dayMs))}`;

/** Webhook updates of unknown kinds, stored for thirty days so that none is lost. In parts, because an item holds 400 KB. */
const archivedUpdateEntity = entity({
  name: 'archived-update',
  purpose: 'A webhook update of a kind that is not read yet',
  attributes: storedArchivedUpdate,
  key: ({ companyId, receivedAt, id, part }: Pick<ArchivedUpdate, 'companyId' | 'receivedAt' | 'id' | 'part'>) => ({
    pk: partition(companyId, receivedAt),
    sk: `${id}#${sortable(part)}`,
  }),
  idOf: ({ companyId, receivedAt, id, part }) => ({ companyId, receivedAt, id, part }),
  expiresAt: ({ receivedAt }) => Math.floor(receivedAt / 1_000) + archivedDays * 86_400,
  personalData: 'whatever the provider reported of a contact',
  example: { pk: 'C#<company>#ARCHIVED#<day>', sk: '<sha256 of the update>#<part>' },
});

/** 70,000 whole characters are at most 280 KB. */
const part = /[^]{1,70000}/gu;

export const putArchivedUpdate = pattern(
  { question: 'an update of an unread kind is kept', entity: 'archived-update', by: 'PutItem', units: '1 WRU a KB' },
  async (companyId: number, id: string, field: string, body: string, receivedAt: number): Promise<void> => {
    const bodies = body.match(part) ?? [''];
    for (const [index, each] of bodies.entries())
      await archivedUpdateEntity.put({ companyId, id, part: index, parts: bodies.length, field, body: each, receivedAt });
  },
);

/** The updates of a day, the parts of one after another. */
export const listArchivedUpdates = pattern(
  { question: 'the updates of unread kinds of a day', entity: 'archived-update', by: 'Query', units: '0.5 RRU per 4 KB' },
  (companyId: number, dayAtMs: number): Promise<ArchivedUpdate[]> => archivedUpdateEntity.collect({ pk: partition(companyId, dayAtMs) }),
);

export const deleteArchivedUpdate = pattern(
  { question: 'remove an update about an erased contact', entity: 'archived-update', by: 'DeleteItem', units: '1 WRU a KB' },
  async (update: ArchivedUpdate): Promise<void> => {
    await archivedUpdateEntity.delete(update);
  },
);
