import * as z from 'zod';
import { equals, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import type { Preference } from '../domain/preference.ts';

const partition = (companyId: number): string => `${tenant(companyId)}#PREF`;

const preferenceItem = z.object({
  companyId: z.int(),
  userId: z.int(),
  rev: z.int(),
  workNumber: z.string().optional(),
  verifiedAt: z.int().optional(),
  contactId: z.int().optional(),
  optedIn: z.boolean(),
  notifyTasks: z.boolean(),
  enrolment: z.object({ codeHash: z.string(), enrolledAt: z.int(), expiresAt: z.int(), wrongMessages: z.array(z.int()) }).optional(),
  updatedAt: z.int(),
});

/** The preferences of a company are in one partition, one item for each user. */
const preferenceEntity = entity({
  name: 'staff-preference',
  purpose: "A team member's notifications and work number; of a pending code only its keyed hash",
  attributes: preferenceItem,
  key: ({ companyId, userId }: { companyId: number; userId: number }) => ({ pk: partition(companyId), sk: sortable(userId) }),
  idOf: ({ companyId, userId }) => ({ companyId, userId }),
  personalData: 'work number of a user',
  example: { pk: 'C#<company>#PREF', sk: '<user, 16 digits>' },
});

export const getPreference = pattern(
  { question: "a user's preference", entity: 'staff-preference', by: 'GetItem', units: '1 RRU' },
  async (companyId: number, userId: number): Promise<Preference | undefined> => {
    const item = await preferenceEntity.get({ companyId, userId }, { consistent: true });
    return item && toPreference(item);
  },
);

export const listPreferences = pattern(
  {
    question: 'the preferences of all users',
    entity: 'staff-preference',
    by: 'Query',
    units: '1 RRU for about 12, 0.5 eventually consistent',
  },
  async (companyId: number, { consistent = true } = {}): Promise<Preference[]> =>
    (await preferenceEntity.collect({ pk: partition(companyId), consistent })).map(toPreference),
);

/** Writes a preference that was not changed since it was read; `rev` is one more than the one read. */
export const updatePreference = pattern(
  { question: "change a user's preference", entity: 'staff-preference', by: 'PutItem', units: '1 WRU' },
  async (preference: Preference): Promise<boolean> => {
    const { enrolment, ...rest } = preference;
    const item = { ...rest, ...(enrolment ? { enrolment: { ...enrolment, wrongMessages: [...enrolment.wrongMessages] } } : {}) };
    return (await preferenceEntity.put(item, preference.rev === 1 ? missing() : equals('rev', preference.rev - 1))).done;
  },
);

function toPreference(item: z.output<typeof preferenceItem>): Preference {
  return { workNumber: undefined, verifiedAt: undefined, contactId: undefined, enrolment: undefined, ...item };
}
