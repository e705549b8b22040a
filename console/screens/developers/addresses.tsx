import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { MachineTokenWithSecret, Token } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { badges, times } from '../../components/columns.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { api } from '../../data/client.ts';
import { read, refresh } from '../../data/queries.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { type NewTokenProps, TokenPage } from './token-page.tsx';

type Receiver = NonNullable<Token['receiver']>;
const receivers: readonly Receiver[] = ['messaging', 'storeplatform', 'webshop', 'logistics', 'checkout', 'test'];

/** Addresses to which the provider, shops and ERP systems post. The address contains its secret, so it is shown whole once. */
const Addresses = (): JSX.Element => {
  const text = useText(developersText);
  const query = useQuery(read('listMachineTokens'));
  useInspectable({ title: text.addresses, object: query.data?.data, call: { operation: 'listMachineTokens', input: {} } });
  const purposeOf = ({ receiver }: Token): string => (receiver === null ? text.erp : text[receiver]);
  const signedBadge = badges<Token>(
    {
      id: 'signed',
      name: text.signing,
      width: '7rem',
      value: (token) => (token.has_shared_secret ? text.signed : text.unsigned),
      isExtra: true,
    },
    (token) => (token.has_shared_secret ? 'good' : 'warn'),
  );
  return (
    <TokenPage<MachineTokenWithSecret>
      title={text.addresses}
      file="incoming-addresses"
      empty={{ icon: 'link', title: text.noAddresses, hint: text.noAddressesHint }}
      operation="listMachineTokens"
      query={query}
      nameOf={(token) => (token.name === '' ? purposeOf(token) : token.name)}
      columns={[
        { id: 'receiver', name: text.receiver, width: 'minmax(8rem, 2fr)', value: purposeOf, isExtra: true },
        { ...signedBadge, cell: (token) => (token.kind === 'erp_token' ? null : signedBadge.cell?.(token)) },
      ]}
      ends={times('previous_expires_at', text.overlapUntil, { width: '9rem', isLong: true, isExtra: true })}
      more={(token, open, close) =>
        token.kind === 'webhook_token'
          ? [{ id: 'signing', label: text.changeSigning, icon: 'shield', run: () => open(<ChangeSigning token={token} onClose={close} />) }]
          : []
      }
      create={{ label: text.addressNew, dialog: NewAddress }}
      titles={{ created: text.addressCreated, rotated: text.addressRotated }}
      secretsOf={(token) => [
        { name: text.address, value: token.url },
        ...(token.kind === 'erp_token' ? [{ name: text.addressErpToken, value: token.secret }] : []),
        ...(token.shared_secret === null ? [] : [{ name: text.signing, value: token.shared_secret }]),
      ]}
      rotate={(id, overlap_hours, call) => api.rotateMachineToken({ params: { id }, body: { overlap_hours } }, call)}
      revoke={(id, call) => api.revokeMachineToken({ params: { id } }, call)}
    />
  );
};
export default Addresses;

const nothing = { receiver: 'webshop' as Receiver | 'erp', name: '', signing: 'make' as 'none' | 'make' | 'given', shared_secret: '' };

const NewAddress = ({ onClose, onCreated }: NewTokenProps<MachineTokenWithSecret>): JSX.Element => {
  const text = useText(developersText);
  const { values, field, submitting } = useForm(
    nothing,
    ({ receiver, name, signing, shared_secret }, call) =>
      api.createMachineToken(
        {
          body: {
            ...(receiver === 'erp' ? { kind: 'erp_token' as const } : { kind: 'webhook_token' as const, receiver }),
            ...(name.trim() === '' ? {} : { name: name.trim() }),
            ...(receiver === 'erp' || signing === 'given' ? {} : { make_shared_secret: signing === 'make' }),
            ...(receiver !== 'erp' && signing === 'given' ? { shared_secret } : {}),
          },
        },
        call,
      ),
    ({ data }) => onCreated(data),
  );
  const isSigned = values.receiver !== 'erp';
  return (
    <FormDialog {...submitting} title={text.addressNew} action={text.addressCreate} onClose={onClose}>
      <SelectField
        label={text.receiver}
        hint={text.receiverHint}
        choices={[...receivers.map((each) => [each, text[each]] as const), ['erp', text.erp]]}
        {...field('receiver')}
      />
      <TextField label={text.tokenName} {...field('name')} />
      {isSigned && (
        <SelectField
          label={text.signing}
          choices={[
            ['make', text.signingMake],
            ['given', text.signingGiven],
            ['none', text.signingNone],
          ]}
          {...field('signing')}
        />
      )}
      {isSigned && values.signing === 'given' && (
        <TextField label={text.signingSecret} type="password" autoComplete="new-password" {...field('shared_secret')} />
      )}
    </FormDialog>
  );
};

const ChangeSigning = ({ token: { id }, onClose }: { token: Token; onClose: () => void }): JSX.Element => {
  const text = useText(developersText);
  const { field, submitting } = useForm(
    { shared_secret: '' },
    ({ shared_secret: given }, call) =>
      api.updateMachineToken({ params: { id }, body: { shared_secret: given === '' ? null : given } }, call),
    () => {
      void refresh('listMachineTokens');
      onClose();
    },
  );
  return (
    <FormDialog {...submitting} title={text.changeSigning} onClose={onClose}>
      <TextField
        label={text.signingSecret}
        hint={text.signingNone}
        type="password"
        autoComplete="new-password"
        {...field('shared_secret')}
      />
    </FormDialog>
  );
};
