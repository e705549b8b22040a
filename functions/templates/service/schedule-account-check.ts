import { now } from '../../../shared/runtime/clock.ts';
import { nextCheckAt } from '../domain/account-check.ts';
import { putAccountCheck } from '../store/account-check.ts';

/** Gives a company its time of day for the check of its accounts, unless it has one. 1-3 WRU. */
export const scheduleAccountCheck = async (companyId: number): Promise<void> => {
  await putAccountCheck({ companyId, dueAt: nextCheckAt(companyId, now()) }, undefined);
};
