import { equals, missing } from '../../../shared/table/condition.ts';
import { dueKeys } from '../../../shared/table/due.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { storedWeeklySummary, type StoredWeeklySummary, weeklySummaryEntityName } from '../contract/stored.ts';

interface WeeklySummaryId {
  companyId: number;
  userId: number;
}

/** Due only while it is switched on: who wants none costs nothing. */
const weeklySummaryEntity = entity({
  name: weeklySummaryEntityName,
  purpose: 'Whether a user gets the weekly summary, which week comes next, and which was claimed last',
  attributes: storedWeeklySummary,
  key: ({ companyId, userId }: WeeklySummaryId) => ({ pk: `${tenant(companyId)}#WEEKLY_SUMMARY`, sk: sortable(userId) }),
  idOf: ({ companyId, userId }) => ({ companyId, userId }),
  indexedBy: ['companyId', 'userId', 'enabled', 'dueAt'],
  indexes: ({ companyId, userId, enabled, dueAt }) => ({
    due: enabled ? dueKeys(dueAt, weeklySummaryEntityName, `${companyId}:${userId}`) : undefined,
  }),
  example: { pk: 'C#<company>#WEEKLY_SUMMARY', sk: '<user, 16 digits>' },
});

export const getStoredWeeklySummary = pattern(
  { question: 'whether a user gets the weekly summary', entity: weeklySummaryEntityName, by: 'GetItem', units: '1 RRU, consistent' },
  (companyId: number, userId: number): Promise<StoredWeeklySummary | undefined> =>
    weeklySummaryEntity.get({ companyId, userId }, { consistent: true }),
);

/** Undefined when it was changed since `seen` was read; `seen` undefined: there was none. */
export const putWeeklySummary = pattern(
  {
    question: "a user's choice, or the next week, if unchanged since it was read",
    entity: weeklySummaryEntityName,
    by: 'PutItem',
    units: '1-3 WRU',
  },
  async (next: Omit<StoredWeeklySummary, 'rev'>, seen: StoredWeeklySummary | undefined): Promise<StoredWeeklySummary | undefined> => {
    const changed = { ...next, rev: (seen?.rev ?? 0) + 1 };
    return (await weeklySummaryEntity.put(changed, seen ? equals('rev', seen.rev) : missing())).done ? changed : undefined;
  },
);
