import { type JSX, useCallback, useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { MachineTokenWithSecret, Token } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Badge, Button, Empty, Loading } from '../../components/basics.tsx';
import { CheckField, problemOf, SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { type Secret, SecretDialog } from '../../components/secret.tsx';
import { type Column, CsvButton, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { tokenColumns } from './token-columns.tsx';
import { RevokeDialog, RotateDialog } from './token-dialogs.tsx';

type Receiver = NonNullable<Token['receiver']>;
const receivers: readonly Receiver[] = ['messaging', 'storeplatform', 'webshop', 'logistics', 'checkout', 'test'];

type Opened = { dialog: 'new' } | { dialog: 'rotate' | 'revoke' | 'signing'; token: Token } | undefined;

/** Addresses to which the provider, shops and ERP systems post. The address contains its secret, so it is shown whole once. */
const Addresses = (): JSX.Element => {
  const text = useText(developersText);
  const [withRevoked, setWithRevoked] = useFilter('revoked');
  const { data, error, isPending, refetch } = useQuery(read('listMachineTokens'));
  const [opened, setOpened] = useState<Opened>();
  const [shown, setShown] = useState<{ title: string; secrets: Secret[] }>();
  useInspectable({ title: text.addresses, object: data?.data, call: { operation: 'listMachineTokens', input: {} } });
  const rows = useMemo(
    () => (data?.data ?? []).filter(({ status }) => withRevoked !== undefined || status === 'active'),
    [data, withRevoked],
  );
  const purposeOf = useCallback(({ receiver }: Token) => (receiver === null ? text.erp : text[receiver]), [text]);
  const nameOf = useCallback((token: Token) => (token.name === '' ? purposeOf(token) : token.name), [purposeOf]);
  const close = (): void => setOpened(undefined);
  const show = (title: string, token: MachineTokenWithSecret): void => {
    close();
    setShown({
      title,
      secrets: [
        { name: text.address, value: token.url },
        ...(token.kind === 'erp_token' ? [{ name: text.addressErpToken, value: token.secret }] : []),
        ...(token.shared_secret === null ? [] : [{ name: text.signing, value: token.shared_secret }]),
      ],
    });
    void refresh('listMachineTokens');
  };
  const shared = useMemo(
    () =>
      tokenColumns(text, {
        nameOf,
        more: ({ kind }) => (kind === 'webhook_token' ? [{ id: 'signing', label: text.changeSigning, icon: 'shield' }] : []),
        onSelect: (id, token) => setOpened({ dialog: id as 'rotate' | 'revoke' | 'signing', token }),
      }),
    [text, nameOf],
  );
  const columns = useMemo(
    (): Column<Token>[] => [
      {
        id: 'name',
        name: text.name,
        width: 'minmax(8rem, 2fr)',
        value: nameOf,
        cell: (token) => (
          <span title={nameOf(token)}>
            <strong>{nameOf(token)}</strong> <code className="muted">…{token.last4}</code>
          </span>
        ),
      },
      { id: 'receiver', name: text.receiver, width: 'minmax(8rem, 2fr)', value: purposeOf, isExtra: true },
      {
        id: 'signed',
        name: text.signing,
        width: '7rem',
        value: ({ has_shared_secret }) => (has_shared_secret ? text.signed : text.unsigned),
        cell: ({ has_shared_secret, kind }) =>
          kind === 'erp_token' ? null : (
            <Badge look={has_shared_secret ? 'good' : 'warn'}>{has_shared_secret ? text.signed : text.unsigned}</Badge>
          ),
        isExtra: true,
      },
      shared.used,
      {
        id: 'former',
        name: text.overlapUntil,
        width: '9rem',
        value: ({ previous_expires_at }) => previous_expires_at,
        cell: ({ previous_expires_at }) =>
          previous_expires_at === null ? <span className="muted">–</span> : <Time at={previous_expires_at} long />,
        isExtra: true,
      },
      shared.status,
      shared.actions,
    ],
    [text, nameOf, purposeOf, shared],
  );
  return (
    <Page
      title={text.addresses}
      isTable
      actions={
        <>
          <CsvButton name="incoming-addresses" columns={columns.slice(0, -1)} rows={rows} />
          <Button look="primary" icon="plus" onClick={() => setOpened({ dialog: 'new' })}>
            {text.addressNew}
          </Button>
        </>
      }
      filters={
        <CheckField label={text.showRevoked} checked={withRevoked !== undefined} onCheck={(on) => setWithRevoked(on ? '1' : undefined)} />
      }
    >
      {error && <ProblemCard error={error} onRetry={() => void refetch()} />}
      {isPending && !error && <Loading />}
      {data && rows.length === 0 && (
        <Empty icon="link" title={text.noAddresses}>
          <p>{text.noAddressesHint}</p>
          <Button look="primary" icon="plus" onClick={() => setOpened({ dialog: 'new' })}>
            {text.addressNew}
          </Button>
        </Empty>
      )}
      {rows.length > 0 && <Table label={text.addresses} columns={columns} rows={rows} keyOf={({ id }) => id} />}
      {opened?.dialog === 'new' && <NewAddress onClose={close} onCreated={(token) => show(text.addressCreated, token)} />}
      {opened?.dialog === 'rotate' && (
        <RotateDialog
          name={nameOf(opened.token)}
          onClose={close}
          rotate={(overlap_hours, call) => api.rotateMachineToken({ params: { id: opened.token.id }, body: { overlap_hours } }, call)}
          onRotated={({ data: token }) => show(text.addressRotated, token)}
        />
      )}
      {opened?.dialog === 'revoke' && (
        <RevokeDialog
          name={nameOf(opened.token)}
          onClose={close}
          revoke={(call) => api.revokeMachineToken({ params: { id: opened.token.id } }, call)}
          onRevoked={() => {
            close();
            void refresh('listMachineTokens');
          }}
        />
      )}
      {opened?.dialog === 'signing' && <ChangeSigning token={opened.token} onClose={close} />}
      {shown && <SecretDialog {...shown} onClose={() => setShown(undefined)} />}
    </Page>
  );
};
export default Addresses;

type Signing = 'none' | 'make' | 'given';

const NewAddress = ({ onClose, onCreated }: { onClose: () => void; onCreated: (token: MachineTokenWithSecret) => void }): JSX.Element => {
  const text = useText(developersText);
  const [receiver, setReceiver] = useState<Receiver | 'erp'>('webshop');
  const [name, setName] = useState('');
  const [signing, setSigning] = useState<Signing>('make');
  const [given, setGiven] = useState('');
  const create = useWrite(
    (_: undefined, call) =>
      api.createMachineToken(
        {
          body: {
            ...(receiver === 'erp' ? { kind: 'erp_token' as const } : { kind: 'webhook_token' as const, receiver }),
            ...(name.trim() === '' ? {} : { name: name.trim() }),
            ...(receiver !== 'erp' && signing === 'make' ? { make_shared_secret: true } : {}),
            ...(receiver !== 'erp' && signing === 'given' ? { shared_secret: given } : {}),
          },
        },
        call,
      ),
    ({ data }) => onCreated(data),
  );
  return (
    <FormDialog
      title={text.addressNew}
      action={text.addressCreate}
      write={create}
      fields={['name', 'receiver', 'shared_secret']}
      onSubmit={() => create.run(undefined)}
      onClose={onClose}
    >
      <SelectField
        label={text.receiver}
        hint={text.receiverHint}
        value={receiver}
        onText={setReceiver}
        choices={[...receivers.map((each) => [each, text[each]] as const), ['erp', text.erp]]}
        problem={problemOf(create.error, 'receiver')}
      />
      <TextField label={text.tokenName} value={name} onText={setName} problem={problemOf(create.error, 'name')} />
      {receiver !== 'erp' && (
        <SelectField
          label={text.signing}
          value={signing}
          onText={setSigning}
          choices={[
            ['make', text.signingMake],
            ['given', text.signingGiven],
            ['none', text.signingNone],
          ]}
        />
      )}
      {receiver !== 'erp' && signing === 'given' && (
        <TextField
          label={text.signingSecret}
          type="password"
          autoComplete="new-password"
          value={given}
          onText={setGiven}
          problem={problemOf(create.error, 'shared_secret')}
        />
      )}
    </FormDialog>
  );
};

const ChangeSigning = ({ token, onClose }: { token: Token; onClose: () => void }): JSX.Element => {
  const text = useText(developersText);
  const [given, setGiven] = useState('');
  const change = useWrite(
    (_: undefined, call) =>
      api.updateMachineToken({ params: { id: token.id }, body: { shared_secret: given === '' ? null : given } }, call),
    () => {
      void refresh('listMachineTokens');
      onClose();
    },
  );
  return (
    <FormDialog
      title={text.changeSigning}
      write={change}
      fields={['shared_secret']}
      onSubmit={() => change.run(undefined)}
      onClose={onClose}
    >
      <TextField
        label={text.signingSecret}
        hint={text.signingNone}
        type="password"
        autoComplete="new-password"
        value={given}
        onText={setGiven}
        problem={problemOf(change.error, 'shared_secret')}
      />
    </FormDialog>
  );
};
