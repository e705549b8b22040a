import { now } from '../../../shared/runtime/clock.ts';
import { wallOf } from '../../../shared/runtime/zone.ts';
import { getCompany } from '../../account/service/companies.ts';

/** Today, as the clock of the company shows it: prices change at midnight. 0.5 RRU. */
export const rateDayOf = async (companyId: number): Promise<string> => {
  const company = await getCompany(companyId);
  return new Date(wallOf(company?.timezone ?? 'UTC', now())).toISOString().slice(0, 10);
};
