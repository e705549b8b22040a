import { now } from '../../../shared/runtime/clock.ts';
import { listStoredProfiles } from '../../account/service/stored-profiles.ts';
import { type Identifier, parseIdentifier } from '../domain/identifier.ts';
import { updateRequestBudgetFields } from '../store/request-budget.ts';
import { hashIdentifier } from './secrets.ts';

/** Trust keys that a person was given before now are worth nothing any more (V19); of nobody who was ever verified none are. 1 WRU. */
export const revokeIdentifierTrust = async (companyId: number, profileId: string, identifier: Identifier): Promise<void> => {
  await updateRequestBudgetFields(
    { companyId, profileId, person: await hashIdentifier(profileId, identifier) },
    { trusted: [], trustFrom: now() },
  );
};

/** The same at every profile of the company, for a person who is erased. 0.5 RRU for about 8 profiles, 1 WRU for each and identifier. */
export const revokeAllTrust = async (companyId: number, given: readonly (string | undefined)[]): Promise<void> => {
  const identifiers = given.flatMap((each) => (each === undefined ? undefined : parseIdentifier(each)) ?? []);
  if (identifiers.length === 0) return;
  for (const { id } of await listStoredProfiles(companyId))
    await Promise.all(identifiers.map((identifier) => revokeIdentifierTrust(companyId, id, identifier)));
};
