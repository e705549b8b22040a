import { now } from '../../../shared/runtime/clock.ts';
import { findProfilesOf } from '../../account/service/profile-of-key.ts';
import { type Identifier, parseIdentifier } from '../domain/identifier.ts';
import { changeGuard } from '../store/guard.ts';
import { personOf } from './secrets.ts';

/** Trust keys that a person was given before now are worth nothing any more (V19); of nobody who was ever verified none are. 1 WRU. */
export const takeTrustBack = async (companyId: number, profileId: string, identifier: Identifier): Promise<void> => {
  await changeGuard({ companyId, profileId, person: await personOf(profileId, identifier) }, { trusted: [], trustFrom: now() });
};

/** The same at every profile of the company, for a person who is erased. 0.5 RRU for about 8 profiles, 1 WRU for each and identifier. */
export const takeAllTrustBack = async (companyId: number, given: readonly (string | undefined)[]): Promise<void> => {
  const identifiers = given.flatMap((each) => (each === undefined ? undefined : parseIdentifier(each)) ?? []);
  if (identifiers.length === 0) return;
  for (const { id } of await findProfilesOf(companyId))
    await Promise.all(identifiers.map((identifier) => takeTrustBack(companyId, id, identifier)));
};
