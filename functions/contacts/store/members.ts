import * as z from 'zod';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { type Bits, idsOf } from '../domain/members.ts';

/** What contacts are members of. */
export type MemberKind = 'group' | 'tag';

/** The members of a group or tag, folded from the change stream; only live contacts. */
export const membersEntity = entity({
  name: 'contact-members',
  purpose: 'Which of 4,096 contacts carry a group or tag, one bit each',
  attributes: z.object({
    companyId: z.int(),
    of: z.enum(['group', 'tag']),
    ofId: z.int(),
    span: z.int(),
    bits: z.custom<Bits>((value) => value instanceof Uint8Array),
    rev: z.int().default(0),
    checkpoints: z.record(z.string(), z.string()).default({}),
  }),
  key: ({ companyId, of, ofId, span }: MembersId) => ({ pk: membersKey(companyId, of, ofId), sk: sortable(span) }),
  idOf: ({ companyId, of, ofId, span }) => ({ companyId, of, ofId, span }),
  example: { pk: 'C#<company>#CM#<group or tag>#<id>', sk: '<contact id / 4,096, 16 digits>' },
});
export type Members = ItemOf<typeof membersEntity>;

export interface MembersId {
  companyId: number;
  of: MemberKind;
  ofId: number;
  span: number;
}

/** Ids of all live contacts of a group or tag, greatest first. */
export const listMembers = pattern(
  {
    question: 'contacts of a group or tag',
    entity: 'contact-members',
    by: 'Query',
    units: '0.5 RRU per 4 KB: at most 25 RRU for a million contacts',
  },
  async (companyId: number, of: MemberKind, ofId: number): Promise<number[]> =>
    (await listRows(companyId, of, ofId)).flatMap(({ span, bits }) => idsOf(span, bits)),
);

/** The newest live contacts of a group or tag, so many at least where there are as many, greatest id first. */
export const listNewestMembers = pattern(
  { question: 'the newest contacts of a group or tag', entity: 'contact-members', by: 'Query', units: '0.5 RRU per 7 rows of 4,096 ids' },
  async (companyId: number, of: MemberKind, ofId: number, count: number): Promise<number[]> => {
    const ids: number[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const page = await membersEntity.query({ pk: membersKey(companyId, of, ofId), descending: true, limit: rowsPer4Kb, after });
      ids.push(...page.items.flatMap(({ span, bits }) => idsOf(span, bits)));
      after = page.last;
    } while (after && ids.length < count);
    return ids;
  },
);

/** Clears away the rows of a deleted group or tag; what a late change adds again is never read. */
export const deleteMembers = pattern(
  { question: 'forget the members of a deleted group or tag', entity: 'contact-members', by: 'DeleteItem', units: '1 WRU per 4,096 ids' },
  async (companyId: number, of: MemberKind, ofId: number): Promise<void> => {
    const rows = await listRows(companyId, of, ofId);
    await Promise.all(rows.map(({ span }) => membersEntity.delete({ companyId, of, ofId, span })));
  },
);

async function listRows(companyId: number, of: MemberKind, ofId: number): Promise<Members[]> {
  const rows: Members[] = [];
  let after: Record<string, unknown> | undefined;
  do {
    const page = await membersEntity.query({ pk: membersKey(companyId, of, ofId), descending: true, after });
    rows.push(...page.items);
    after = page.last;
  } while (after);
  return rows;
}

const rowsPer4Kb = 7;

const membersKey = (companyId: number, of: MemberKind, ofId: number): string => `${tenant(companyId)}#CM#${of}#${ofId}`;
