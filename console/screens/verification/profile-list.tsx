import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { VerificationProfile } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { badges, times } from '../../components/columns.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { api } from '../../data/client.ts';
import { read, refresh } from '../../data/queries.ts';
import { verificationText } from '../../text/verification.ts';
import { useText } from '../../text/text.ts';
import { profileValues } from './profile-values.ts';

/** The profiles: each how one app verifies its users. */
const Profiles = (): JSX.Element => {
  const text = useText(verificationText);
  const navigate = useNavigate();
  const query = useQuery(read('listVerificationProfiles'));
  const { dialog, open, close } = useDialog();
  useInspectable({ title: text.profiles, object: query.data?.data, call: { operation: 'listVerificationProfiles', input: {} } });
  const codeOf = (profile: VerificationProfile): string => {
    const { length, type, expiryMinutes } = profileValues(profile);
    return text.codeInShort(Number(length), type === 'numeric' ? text.digits : text.characters, Number(expiryMinutes));
  };
  return (
    <TablePage
      title={text.profiles}
      file="verification-profiles"
      query={query}
      rows={query.data?.data ?? []}
      create={{
        label: text.newProfile,
        onCreate: () =>
          open(
            <NewProfile
              onClose={close}
              onCreated={({ id }) => {
                close();
                void navigate({ to: '/verification/profiles/$profile', params: { profile: id } });
              }}
            />,
          ),
      }}
      columns={[
        {
          id: 'name',
          name: text.name,
          width: 'minmax(9rem, 2fr)',
          value: ({ name }) => name,
          cell: ({ id, name }) => (
            <Link className="row-link whole-row" to="/verification/profiles/$profile" params={{ profile: id }}>
              {name}
            </Link>
          ),
        },
        { id: 'code', name: text.code, width: 'minmax(10rem, 3fr)', value: codeOf, isExtra: true },
        {
          id: 'default',
          name: text.used,
          width: 'minmax(7rem, 1fr)',
          value: ({ is_default: is }) => (is ? text.byDefault : ''),
          isExtra: true,
        },
        badges<VerificationProfile>(
          { id: 'status', name: text.state, width: '8rem', value: ({ status }) => (status === 'active' ? text.works : text.paused) },
          ({ status }) => (status === 'active' ? undefined : 'warn'),
        ),
        times('updated_at', text.changed, { width: '8rem', isNumber: true, isExtra: true }),
      ]}
      empty={{ icon: 'shield', title: text.noProfiles, hint: text.noProfilesHint }}
    >
      {dialog}
    </TablePage>
  );
};
export default Profiles;

const NewProfile = ({ onClose, onCreated }: { onClose: () => void; onCreated: (profile: VerificationProfile) => void }): JSX.Element => {
  const text = useText(verificationText);
  const { values, field, submitting } = useForm(
    { name: '' },
    ({ name }, call) => api.createVerificationProfile({ body: { name: name.trim() } }, call),
    ({ data }) => {
      void refresh('listVerificationProfiles');
      onCreated(data);
    },
  );
  return (
    <FormDialog {...submitting} title={text.newProfile} isDisabled={values.name.trim() === ''} onClose={onClose}>
      <TextField label={text.name} hint={text.profileNameHint} dir="auto" {...field('name')} />
    </FormDialog>
  );
};
