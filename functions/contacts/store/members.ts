import * as z from 'zod';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { type Bits, idsOf } from '../domain/members.ts';

/** Contacts are members of groups and tags. */
export type MemberKind = 'group' | 'tag';

/** The live members of a group or tag, a projection of the change stream. */
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

/** The newest live contacts of a group or tag, at least `count` if it has that many, greatest id first. */
export const listNewestMembers = pattern(
  { question: 'the newest contacts of a group or tag', entity: 'contact-members', by: 'Query', units: '0.5 RRU per 7 rows of 4,096 ids' },
  async (companyId: number, of: MemberKind, ofId: number, count: number): Promise<number[]> => {
    const ids: number[] = [];
    for await (const { items } of membersEntity.pages({ pk: membersKey(companyId, of, ofId), descending: true, limit: rowsPer4Kb })) {
      ids.push(...items.flatMap(({ span, bits }) => idsOf(span, bits)));
      if (ids.length >= count) break;
    }
    return ids;
  },
);

/** Deletes the rows of a deleted group or tag. A late change may add a row again, but no call reads it. */
export const deleteMembers = pattern(
  { question: 'delete the members of a deleted group or tag', entity: 'contact-members', by: 'DeleteItem', units: '1 WRU per 4,096 ids' },
  async (companyId: number, of: MemberKind, ofId: number): Promise<void> => {
    const rows = await listRows(companyId, of, ofId);
    await Promise.all(rows.map(({ span }) => membersEntity.delete({ companyId, of, ofId, span })));
  },
);

const listRows = (companyId: number, of: MemberKind, ofId: number): Promise<Members[]> =>
  membersEntity.collect({ pk: membersKey(companyId, of, ofId), descending: true });

const rowsPer4Kb = 7;

const membersKey = (companyId: number, of: MemberKind, ofId: number): string => `${tenant(companyId)}#CM#${of}#${ofId}`;
