import { isProblem } from '../../../shared/contract/problems.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import { recordProviderChange } from '../../account/service/numbers.ts';
import type { NumberProfile, NumberProfileChanges } from '../contract/number-profile.ts';
import { getBusinessProfile, type ProviderProfile, updateBusinessProfile } from '../gateway/number-profile.ts';
import { answerOf, type NumberToolProblem, type RequestTime, requireBusinessNumber } from './number-tools.ts';

/** The business profile of a number, as the provider has it. */
export const getNumberProfile = async (companyId: number, id: number): Promise<NumberProfile | NumberToolProblem> => {
  const number = await requireBusinessNumber(companyId, id);
  if (isProblem(number)) return number;
  const profile = answerOf(await getBusinessProfile(number));
  return isProblem(profile) ? profile : toNumberProfile(profile);
};

/** Changes the given fields, and returns the profile as the provider has it then. */
export const updateNumberProfile = async (
  companyId: number,
  id: number,
  changes: NumberProfileChanges,
  { startedAt }: RequestTime,
): Promise<NumberProfile | NumberToolProblem> => {
  const number = await requireBusinessNumber(companyId, id);
  if (isProblem(number)) return number;
  const updated = answerOf(await updateBusinessProfile(number, defined(changes)));
  if (isProblem(updated)) return updated;
  await recordProviderChange(number, 'profile changed', startedAt);
  return getNumberProfile(companyId, id);
};

const toNumberProfile = (profile: ProviderProfile): NumberProfile => ({
  about: profile.about ?? '',
  address: profile.address ?? '',
  description: profile.description ?? '',
  email: profile.email ?? '',
  websites: profile.websites ?? [],
  vertical: profile.vertical === undefined || profile.vertical === 'UNDEFINED' || profile.vertical === '' ? null : profile.vertical,
  picture_url: profile.profile_picture_url ?? null,
});
