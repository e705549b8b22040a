import { type JSX, useCallback, useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Token } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Button, Empty, Loading } from '../../components/basics.tsx';
import { CheckField, ChecksField, FilterSelect, LongTextField, problemOf, SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { type Secret, SecretDialog } from '../../components/secret.tsx';
import { type Column, CsvButton, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { linesOf } from '../../data/lines.ts';
import { read, refresh } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { useMay, useMe, useUsers } from '../../data/session.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { tokenColumns } from './token-columns.tsx';
import { RevokeDialog, RotateDialog } from './token-dialogs.tsx';

type Opened = { dialog: 'new' } | { dialog: 'rotate' | 'revoke'; token: Token } | undefined;

/** Personal tokens: what they may do, from where, and when they were used last. A secret is shown once. */
const Tokens = (): JSX.Element => {
  const text = useText(developersText);
  const me = useMe();
  const isOwner = useMay('owner');
  const users = useUsers();
  const [owner, setOwner] = useFilter('all');
  const [withRevoked, setWithRevoked] = useFilter('revoked');
  const input = useMemo(() => (owner === undefined || !isOwner ? {} : { query: { all: true } }), [owner, isOwner]);
  const { data, error, isPending, refetch } = useQuery(read('listTokens', input));
  const [opened, setOpened] = useState<Opened>();
  const [secret, setSecret] = useState<{ title: string; secrets: Secret[] }>();
  useInspectable({ title: text.tokens, object: data?.data, call: { operation: 'listTokens', input } });
  const rows = useMemo(
    () => (data?.data ?? []).filter(({ status }) => withRevoked !== undefined || status === 'active'),
    [data, withRevoked],
  );
  const nameOf = useCallback((token: Token) => (token.name === '' ? text.unnamed : token.name), [text]);
  const close = (): void => setOpened(undefined);
  const show = (title: string, value: string): void => {
    close();
    setSecret({ title, secrets: [{ name: text.secret, value }] });
    void refresh('listTokens');
  };
  const shared = useMemo(
    () =>
      tokenColumns(text, {
        nameOf,
        onSelect: (id, token) => setOpened({ dialog: id as 'rotate' | 'revoke', token }),
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
      {
        id: 'user',
        name: text.ofUser,
        width: 'minmax(6rem, 1fr)',
        value: ({ user_id }) => (user_id === me.id ? me.name : (users.find(({ id }) => id === user_id)?.name ?? user_id)),
        isExtra: true,
      },
      {
        id: 'scopes',
        name: text.scopes,
        width: 'minmax(5rem, 1fr)',
        value: ({ scopes }) => scopes.join(' '),
        cell: ({ scopes }) => <span title={scopes.join('\n')}>{text.scopesCount(scopes.length)}</span>,
        isExtra: true,
      },
      {
        id: 'networks',
        name: text.networks,
        width: 'minmax(6rem, 1fr)',
        value: ({ networks }) => networks?.join(' ') ?? text.anywhere,
        cell: ({ networks }) =>
          networks === null ? (
            <span className="muted">{text.anywhere}</span>
          ) : (
            <code title={networks.join('\n')}>{networks.join(', ')}</code>
          ),
        isExtra: true,
      },
      shared.used,
      {
        id: 'expires',
        name: text.expires,
        width: '6rem',
        value: ({ expires_at }) => expires_at,
        cell: ({ expires_at }) => (expires_at === null ? <span className="muted">{text.never}</span> : <Time at={expires_at} />),
        isExtra: true,
      },
      shared.status,
      shared.actions,
    ],
    [text, users, me, nameOf, shared],
  );
  return (
    <Page
      title={text.tokens}
      isTable
      actions={
        <>
          <CsvButton name="tokens" columns={columns.slice(0, -1)} rows={rows} />
          <Button look="primary" icon="plus" onClick={() => setOpened({ dialog: 'new' })}>
            {text.tokenNew}
          </Button>
        </>
      }
      filters={
        <>
          {isOwner && (
            <FilterSelect
              label={text.ofUser}
              value={owner}
              choices={[
                ['', text.ofMe],
                ['1', text.ofEveryone],
              ]}
              onText={setOwner}
            />
          )}
          <CheckField label={text.showRevoked} checked={withRevoked !== undefined} onCheck={(on) => setWithRevoked(on ? '1' : undefined)} />
        </>
      }
    >
      {error && <ProblemCard error={error} onRetry={() => void refetch()} />}
      {isPending && !error && <Loading />}
      {data && rows.length === 0 && (
        <Empty icon="key" title={text.noTokens}>
          <p>{text.noTokensHint}</p>
          <Button look="primary" icon="plus" onClick={() => setOpened({ dialog: 'new' })}>
            {text.tokenNew}
          </Button>
        </Empty>
      )}
      {rows.length > 0 && <Table label={text.tokens} columns={columns} rows={rows} keyOf={({ id }) => id} />}
      {opened?.dialog === 'new' && <NewToken onClose={close} onCreated={(value) => show(text.tokenCreated, value)} />}
      {opened?.dialog === 'rotate' && (
        <RotateDialog
          name={nameOf(opened.token)}
          onClose={close}
          rotate={(overlap_hours, call) => api.rotateToken({ params: { id: opened.token.id }, body: { overlap_hours } }, call)}
          onRotated={({ data: { secret: value } }) => show(text.tokenRotated, value)}
        />
      )}
      {opened?.dialog === 'revoke' && (
        <RevokeDialog
          name={nameOf(opened.token)}
          onClose={close}
          revoke={(call) => api.revokeToken({ params: { id: opened.token.id } }, call)}
          onRevoked={() => {
            close();
            void refresh('listTokens');
          }}
        />
      )}
      {secret && <SecretDialog {...secret} onClose={() => setSecret(undefined)} />}
    </Page>
  );
};
export default Tokens;

const lives = [7, 30, 90, 365] as const;

const NewToken = ({ onClose, onCreated }: { onClose: () => void; onCreated: (secret: string) => void }): JSX.Element => {
  const text = useText(developersText);
  const me = useMe();
  const isOwner = useMay('owner');
  const users = useUsers().filter(({ status }) => status === 'active');
  const [name, setName] = useState('');
  const [user, setUser] = useState(String(me.id));
  const [life, setLife] = useState('90');
  const [isSome, setSome] = useState(true);
  const [scopes, setScopes] = useState<string[]>([]);
  const [networks, setNetworks] = useState('');
  const create = useWrite(
    (_: undefined, call) =>
      api.createToken(
        {
          body: {
            ...(name.trim() === '' ? {} : { name: name.trim() }),
            ...(user === String(me.id) ? {} : { user_id: Number(user) }),
            life_days: life === '' ? null : Number(life),
            ...(isSome ? { scopes: me.scopes.filter((each) => scopes.includes(each)) } : {}),
            ...(linesOf(networks).length === 0 ? {} : { networks: linesOf(networks) }),
          },
        },
        call,
      ),
    ({ data: { secret } }) => onCreated(secret),
  );
  return (
    <FormDialog
      title={text.tokenNew}
      action={text.tokenCreate}
      write={create}
      fields={['name', 'user_id', 'life_days', 'scopes', 'networks']}
      isDisabled={isSome && scopes.length === 0}
      onSubmit={() => create.run(undefined)}
      onClose={onClose}
      wide
    >
      <TextField label={text.tokenName} hint={text.tokenNameHint} value={name} onText={setName} problem={problemOf(create.error, 'name')} />
      {isOwner && users.length > 1 && (
        <SelectField
          label={text.ofUser}
          value={user}
          onText={setUser}
          choices={users.map(({ id, name: each }) => [String(id), each] as const)}
          problem={problemOf(create.error, 'user_id')}
        />
      )}
      <SelectField
        label={text.life}
        value={life}
        onText={setLife}
        choices={[...lives.map((days) => [String(days), text.lifeDays(days)] as const), ['', text.lifeNever]]}
        problem={problemOf(create.error, 'life_days')}
      />
      <SelectField
        label={text.scopes}
        value={isSome ? 'some' : 'all'}
        onText={(value) => setSome(value === 'some')}
        choices={[
          ['some', text.scopesSome],
          ['all', text.scopesAll],
        ]}
      />
      {isSome && (
        <ChecksField
          label={text.scopesSome}
          all={me.scopes}
          chosen={scopes}
          onChoose={setScopes}
          problem={problemOf(create.error, 'scopes')}
        />
      )}
      <LongTextField
        label={text.networks}
        hint={text.networksHint}
        rows={2}
        value={networks}
        onText={setNetworks}
        problem={problemOf(create.error, 'networks')}
        spellCheck={false}
      />
    </FormDialog>
  );
};
