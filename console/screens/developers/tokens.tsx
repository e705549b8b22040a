import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Token } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { times } from '../../components/columns.tsx';
import { ChecksField, FilterSelect, LongTextField, SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { api, type Answer } from '../../data/client.ts';
import { linesOf } from '../../data/lines.ts';
import { read } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { useMay, useMe, useUsers } from '../../data/session.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { useTokenCeilings } from './token-ceiling.tsx';
import { type NewTokenProps, TokenPage } from './token-page.tsx';

/** Personal tokens: what they may do, from where, and when they were used last. */
const Tokens = (): JSX.Element => {
  const text = useText(developersText);
  const me = useMe();
  const isOwner = useMay('owner');
  const users = useUsers();
  const [owner, setOwner] = useFilter('all');
  const input = owner === undefined || !isOwner ? {} : { query: { all: true } };
  const query = useQuery(read('listTokens', input));
  useInspectable({ title: text.tokens, object: query.data?.data, call: { operation: 'listTokens', input } });
  const nameOf = ({ name }: Token): string => (name === '' ? text.unnamed : name);
  const ceilings = useTokenCeilings(nameOf);
  const userOf = ({ user_id }: Token): string | number | null =>
    user_id === me.id ? me.name : (users.find(({ id }) => id === user_id)?.name ?? user_id);
  return (
    <TokenPage
      title={text.tokens}
      file="tokens"
      empty={{ icon: 'key', title: text.noTokens, hint: text.noTokensHint }}
      operation="listTokens"
      query={query}
      nameOf={nameOf}
      columns={[
        { id: 'user', name: text.ofUser, width: 'minmax(6rem, 1fr)', value: userOf, isExtra: true },
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
          cell: ({ networks }) => <Networks networks={networks} />,
          isExtra: true,
        },
        ceilings.column,
      ]}
      more={ceilings.actions}
      ends={times('expires_at', text.expires, { width: '6rem', none: text.never, isExtra: true })}
      filters={
        isOwner && (
          <FilterSelect
            label={text.ofUser}
            value={owner}
            choices={[
              ['', text.ofMe],
              ['1', text.ofEveryone],
            ]}
            onText={setOwner}
          />
        )
      }
      create={{ label: text.tokenNew, dialog: NewToken }}
      titles={{ created: text.tokenCreated, rotated: text.tokenRotated }}
      secretsOf={({ secret }) => [{ name: text.secret, value: secret }]}
      rotate={(id, overlap_hours, call) => api.rotateToken({ params: { id }, body: { overlap_hours } }, call)}
      revoke={(id, call) => api.revokeToken({ params: { id } }, call)}
    />
  );
};
export default Tokens;

const Networks = ({ networks }: Pick<Token, 'networks'>): JSX.Element => {
  const text = useText(developersText);
  if (networks === null) return <span className="muted">{text.anywhere}</span>;
  return <code title={networks.join('\n')}>{networks.join(', ')}</code>;
};

const lives = [7, 30, 90, 365] as const;
const nothing = { name: '', user_id: '', life_days: '90', scopes: [] as string[], networks: '' };

const NewToken = ({ onClose, onCreated }: NewTokenProps<Answer<'createToken'>['data']>): JSX.Element => {
  const text = useText(developersText);
  const me = useMe();
  const isOwner = useMay('owner');
  const users = useUsers().filter(({ status }) => status === 'active');
  const [isSome, setSome] = useState(true);
  const { values, field, set, problem, submitting } = useForm(
    { ...nothing, user_id: String(me.id) },
    ({ name, user_id, life_days, scopes, networks }, call) =>
      api.createToken(
        {
          body: {
            ...(name.trim() === '' ? {} : { name: name.trim() }),
            ...(user_id === String(me.id) ? {} : { user_id: Number(user_id) }),
            life_days: life_days === '' ? null : Number(life_days),
            ...(isSome ? { scopes: me.scopes.filter((each) => scopes.includes(each)) } : {}),
            ...(linesOf(networks).length === 0 ? {} : { networks: linesOf(networks) }),
          },
        },
        call,
      ),
    ({ data }) => onCreated(data),
  );
  return (
    <FormDialog
      {...submitting}
      title={text.tokenNew}
      action={text.tokenCreate}
      isDisabled={isSome && values.scopes.length === 0}
      onClose={onClose}
      wide
    >
      <TextField label={text.tokenName} hint={text.tokenNameHint} {...field('name')} />
      {isOwner && users.length > 1 && (
        <SelectField label={text.ofUser} choices={users.map(({ id, name }) => [String(id), name] as const)} {...field('user_id')} />
      )}
      <SelectField
        label={text.life}
        choices={[...lives.map((days) => [String(days), text.lifeDays(days)] as const), ['', text.lifeNever]]}
        {...field('life_days')}
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
        <ChecksField label={text.scopesSome} all={me.scopes} chosen={values.scopes} onChoose={set('scopes')} problem={problem('scopes')} />
      )}
      <LongTextField label={text.networks} hint={text.networksHint} rows={2} spellCheck={false} {...field('networks')} />
    </FormDialog>
  );
};
