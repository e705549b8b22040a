import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { VerificationProfile } from '../../../client/client.ts';
import { FilterSelect } from '../../components/fields.tsx';
import { read } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { verificationText } from '../../text/verification.ts';
import { useText } from '../../text/text.ts';

interface OfProfiles {
  /** Which one the address names. */
  profile: string | undefined;
  /** All of them; none until they are read. */
  profiles: readonly VerificationProfile[];
  nameOf: (id: string | null) => string;
  filter: JSX.Element;
}

/** Which profile is looked at, and the names of all. */
export const useProfiles = (): OfProfiles => {
  const text = useText(verificationText);
  const [profile, setProfile] = useFilter('in');
  const profiles = useQuery({ ...read('listVerificationProfiles'), staleTime: 5 * 60_000 }).data?.data ?? [];
  return {
    profile,
    profiles,
    nameOf: (id) => profiles.find((each) => each.id === id)?.name ?? text.noProfile,
    filter: (
      <FilterSelect
        label={text.profile}
        value={profile}
        choices={[['', text.all], ...profiles.map(({ id, name }) => [id, name] as const)]}
        onText={setProfile}
      />
    ),
  };
};
