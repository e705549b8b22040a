import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { VerificationProfile } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { menus, times } from '../../components/columns.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { ConfirmDialog, FormDialog } from '../../components/form-dialog.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { type Answer, api } from '../../data/client.ts';
import { read, refresh } from '../../data/queries.ts';
import { verificationText } from '../../text/verification.ts';
import { type TextOf, useText } from '../../text/text.ts';
import { useProfiles } from './profiles.tsx';

type Entry = Answer<'listVerificationWhitelists'>['data'][number];
const kinds = ['identifier', 'ip', 'domain', 'country'] as const;

const kindNames = (text: TextOf<typeof verificationText>): Readonly<Record<Entry['kind'], string>> => ({
  identifier: text.ofIdentifier,
  ip: text.ofAddress,
  domain: text.ofDomain,
  country: text.ofCountry,
});

/** To whom the limits of a profile do not apply, such as the phones of one's own testers, and until when. */
const Exceptions = (): JSX.Element => {
  const text = useText(verificationText);
  const { profile, profiles, nameOf, filter } = useProfiles();
  const { dialog, open, close } = useDialog();
  const input = { query: profile === undefined ? {} : { profile_id: profile } };
  const query = useQuery(read('listVerificationWhitelists', input));
  useInspectable({ title: text.exceptions, object: query.data?.data, call: { operation: 'listVerificationWhitelists', input } });
  const names = kindNames(text);
  const remove = ({ id, value }: Entry): void =>
    open(
      <ConfirmDialog
        title={`${text.endException}: ${value}`}
        action={text.endException}
        send={(call) => api.deleteVerificationWhitelist({ params: { id } }, call)}
        onDone={() => {
          close();
          void refresh('listVerificationWhitelists');
        }}
        onClose={close}
      >
        <p>{text.endExceptionText}</p>
      </ConfirmDialog>,
    );
  return (
    <TablePage
      title={text.exceptions}
      file="verification-exceptions"
      query={query}
      rows={query.data?.data ?? []}
      create={
        profiles.length === 0
          ? undefined
          : {
              label: text.newException,
              onCreate: () => open(<NewException profiles={profiles} profile={profile} onClose={close} />),
            }
      }
      columns={[
        { id: 'value', name: text.who, width: 'minmax(8rem, 1fr)', value: ({ value }) => value },
        { id: 'kind', name: text.kind, width: '9rem', value: ({ kind }) => names[kind], isExtra: true },
        { id: 'profile', name: text.profile, width: 'minmax(6rem, 1fr)', value: ({ profile_id: id }) => nameOf(id), isExtra: true },
        times('expires_at', text.until, { width: '9rem', isNumber: true, none: text.always }),
        menus<Entry>(
          text.actions,
          ({ value }) => value,
          (entry) => [{ id: 'remove', label: text.endException, icon: 'trash', danger: true, run: () => remove(entry) }],
        ),
      ]}
      filters={filter}
      empty={{
        icon: 'shield',
        title: text.noExceptions,
        hint: text.noExceptionsHint,
        more: profiles.length === 0 && <Link to="/verification/profiles">{text.profiles}</Link>,
      }}
    >
      {dialog}
    </TablePage>
  );
};
export default Exceptions;

interface NewExceptionProps {
  /** At least one. */
  profiles: readonly VerificationProfile[];
  /** The one that the list shows. */
  profile: string | undefined;
  onClose: () => void;
}

const NewException = ({ profiles, profile, onClose }: NewExceptionProps): JSX.Element => {
  const text = useText(verificationText);
  const first = profile ?? profiles.find(({ is_default: isDefault }) => isDefault)?.id ?? profiles[0]?.id ?? '';
  const { values, field, submitting } = useForm(
    { profile_id: first, kind: 'identifier' as Entry['kind'], value: '', expires_at: '' },
    ({ expires_at: until, value, ...body }, call) =>
      api.createVerificationWhitelist(
        { body: { ...body, value: value.trim(), ...(until === '' ? {} : { expires_at: new Date(until).toISOString() }) } },
        call,
      ),
    () => {
      void refresh('listVerificationWhitelists');
      onClose();
    },
  );
  const names = kindNames(text);
  return (
    <FormDialog
      {...submitting}
      title={text.newException}
      isDisabled={values.value.trim() === '' || values.profile_id === ''}
      onClose={onClose}
    >
      <SelectField label={text.profile} choices={profiles.map(({ id, name }) => [id, name] as const)} {...field('profile_id')} />
      <SelectField label={text.kind} choices={kinds.map((each) => [each, names[each]] as const)} {...field('kind')} />
      <TextField label={text.exceptionValue} hint={text.exceptionHint} dir="ltr" {...field('value')} />
      <TextField label={text.until} hint={text.untilHint} type="datetime-local" {...field('expires_at')} />
    </FormDialog>
  );
};
