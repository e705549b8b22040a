/** What was done outside of the table, as a provider's ledger would have it. */
export type Effect = 'pack' | 'weigh' | 'print' | 'expire' | 'remind';

const done = new Map<string, number>();
const failures: string[] = [];
const nameOf = (effect: Effect, { companyId, id }: { companyId: number; id: number }): string => `${companyId} ${effect} ${id}`;

export const effects = {
  add: (effect: Effect, id: { companyId: number; id: number }): void => {
    const name = nameOf(effect, id);
    done.set(name, (done.get(name) ?? 0) + 1);
  },
  fail: (what: string): void => void failures.push(what),
  times: (effect: Effect, id: { companyId: number; id: number }): number => done.get(nameOf(effect, id)) ?? 0,
  /** What went wrong since the last look. */
  takeFailures: (): string[] => failures.splice(0),
};
