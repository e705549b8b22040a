import { type JSX, useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { User } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Avatar, Badge, Button, Empty, Loading } from '../../components/basics.tsx';
import { CheckField, FilterSelect, problemOf, SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { type Column, CsvButton, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { api, type Input } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { type Role, useMay, useMe } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.ts';
import { SearchField } from './search-field.tsx';

type Opened = { dialog: 'new' } | { dialog: 'edit' | 'deactivate'; user: User } | undefined;

/** Who works here, and what each may do. */
const People = (): JSX.Element => {
  const text = useText(settingsText);
  const shell = useText(shellText);
  const me = useMe();
  const mayWrite = useMay('admin');
  const [search, setSearch] = useFilter('q');
  const [role, setRole] = useFilter('role');
  const [withInactive, setWithInactive] = useFilter('inactive');
  const { data, error, isPending, refetch } = useQuery(read('listUsers', { query: {} }));
  const [opened, setOpened] = useState<Opened>();
  useInspectable({ title: text.people, object: data?.data, call: { operation: 'listUsers', input: { query: {} } } });
  const close = (): void => setOpened(undefined);
  const done = (): void => {
    close();
    void refresh('listUsers', 'getMe');
  };
  const reactivate = useWrite((id: number, call) => api.updateUser({ params: { id }, body: { status: 'active' } }, call), done);
  const wanted = (search ?? '').trim().toLowerCase();
  const rows = useMemo(
    () =>
      (data?.data ?? []).filter(
        (user) =>
          (withInactive !== undefined || user.status === 'active') &&
          (role === undefined || user.role === role) &&
          `${user.name} ${user.email}`.toLowerCase().includes(wanted),
      ),
    [data, withInactive, role, wanted],
  );
  const { run: runReactivate } = reactivate;
  const columns = useMemo(
    (): Column<User>[] => [
      {
        id: 'name',
        name: text.name,
        width: 'minmax(9rem, 2fr)',
        value: ({ name }) => name,
        cell: ({ id, name }) => (
          <span className="row">
            <Avatar name={name} size={26} />
            <span className="cut" title={name}>
              {name}
            </span>
            {id === me.id && <Badge look="info">{text.you}</Badge>}
          </span>
        ),
      },
      {
        id: 'email',
        name: text.email,
        width: 'minmax(9rem, 2fr)',
        value: ({ email }) => email,
        cell: ({ email }) => <span title={email}>{email}</span>,
        isExtra: true,
      },
      {
        id: 'role',
        name: text.role,
        width: '7.5rem',
        value: (user) => shell[user.role],
        cell: (user) => <Badge look={user.role === 'owner' ? 'info' : ''}>{shell[user.role]}</Badge>,
      },
      {
        id: 'status',
        name: text.status,
        width: '6rem',
        value: ({ status }) => text[status],
        cell: ({ status }) => <Badge look={status === 'active' ? 'good' : ''}>{text[status]}</Badge>,
        isExtra: true,
      },
      {
        id: 'created',
        name: text.created,
        width: '6rem',
        value: ({ created_at }) => created_at,
        cell: ({ created_at }) => <Time at={created_at} />,
        isExtra: true,
      },
      {
        id: 'actions',
        name: '',
        width: '2rem',
        value: () => '',
        cell: (user) =>
          mayWrite ? (
            <Menu
              label={`${text.actions}: ${user.name}`}
              className="button quiet icon small"
              trigger={<Icon name="more" />}
              entries={[
                { id: 'edit', label: text.edit, icon: 'edit' },
                user.status === 'active'
                  ? { id: 'deactivate', label: text.deactivate, icon: 'close', danger: true }
                  : { id: 'reactivate', label: text.reactivate, icon: 'check' },
              ]}
              onSelect={(id) => (id === 'reactivate' ? runReactivate(user.id) : setOpened({ dialog: id as 'edit' | 'deactivate', user }))}
            />
          ) : null,
      },
    ],
    [text, shell, me.id, mayWrite, runReactivate],
  );
  return (
    <Page
      title={text.people}
      isTable
      actions={
        <>
          <CsvButton name="people" columns={columns.slice(0, -1)} rows={rows} />
          {mayWrite && (
            <Button look="primary" icon="plus" onClick={() => setOpened({ dialog: 'new' })}>
              {text.userNew}
            </Button>
          )}
        </>
      }
      filters={
        <>
          <SearchField label={text.search} value={search} onText={setSearch} />
          <FilterSelect
            label={text.role}
            value={role}
            choices={[['', '–'], ...roles.map((each) => [each, shell[each]] as const)]}
            onText={setRole}
          />
          <CheckField
            label={text.withInactive}
            checked={withInactive !== undefined}
            onCheck={(on) => setWithInactive(on ? '1' : undefined)}
          />
        </>
      }
    >
      {(error ?? reactivate.error) && <ProblemCard error={error ?? reactivate.error} onRetry={() => void refetch()} />}
      {isPending && !error && <Loading />}
      {data && rows.length === 0 && <Empty icon="users" title={text.noPeople} />}
      {rows.length > 0 && <Table label={text.people} columns={columns} rows={rows} keyOf={({ id }) => id} />}
      {opened?.dialog === 'new' && <NewUser onClose={close} onDone={done} />}
      {opened?.dialog === 'edit' && <EditUser user={opened.user} onClose={close} onDone={done} />}
      {opened?.dialog === 'deactivate' && <Deactivate user={opened.user} onClose={close} onDone={done} />}
    </Page>
  );
};
export default People;

const roles = ['viewer', 'member', 'admin', 'owner'] as const satisfies readonly Role[];

interface DialogProps {
  onClose: () => void;
  onDone: () => void;
}

const useRoleChoices = (): (readonly [Role, string])[] => {
  const text = useText(settingsText);
  return [
    ['viewer', text.roleViewer],
    ['member', text.roleMember],
    ['admin', text.roleAdmin],
    ['owner', text.roleOwner],
  ];
};

const NewUser = ({ onClose, onDone }: DialogProps): JSX.Element => {
  const text = useText(settingsText);
  const choices = useRoleChoices();
  const [user, setUser] = useState<Input<'createUser'>['body']>({ name: '', email: '', role: 'member' });
  const create = useWrite((_: undefined, call) => api.createUser({ body: user }, call), onDone);
  return (
    <FormDialog
      title={text.userNew}
      action={text.userAdd}
      write={create}
      fields={['name', 'email', 'role']}
      isDisabled={user.name.trim() === '' || user.email.trim() === ''}
      onSubmit={() => create.run(undefined)}
      onClose={onClose}
    >
      <TextField
        label={text.name}
        value={user.name}
        onText={(name) => setUser({ ...user, name })}
        problem={problemOf(create.error, 'name')}
      />
      <TextField
        label={text.email}
        hint={text.emailHint}
        type="email"
        value={user.email}
        onText={(email) => setUser({ ...user, email })}
        problem={problemOf(create.error, 'email')}
      />
      <SelectField
        label={text.role}
        value={user.role}
        choices={choices}
        onText={(role) => setUser({ ...user, role })}
        problem={problemOf(create.error, 'role')}
      />
    </FormDialog>
  );
};

const EditUser = ({ user, onClose, onDone }: DialogProps & { user: User }): JSX.Element => {
  const text = useText(settingsText);
  const choices = useRoleChoices();
  const [name, setName] = useState(user.name);
  const [role, setRole] = useState<Role>(user.role);
  const update = useWrite(
    (_: undefined, call) => api.updateUser({ params: { id: user.id }, body: { name: name.trim(), role } }, call),
    onDone,
  );
  return (
    <FormDialog
      title={user.name}
      write={update}
      fields={['name', 'role']}
      isDisabled={name.trim() === ''}
      onSubmit={() => update.run(undefined)}
      onClose={onClose}
    >
      <TextField label={text.name} value={name} onText={setName} problem={problemOf(update.error, 'name')} />
      <SelectField label={text.role} value={role} choices={choices} onText={setRole} problem={problemOf(update.error, 'role')} />
    </FormDialog>
  );
};

const Deactivate = ({ user, onClose, onDone }: DialogProps & { user: User }): JSX.Element => {
  const text = useText(settingsText);
  const update = useWrite((_: undefined, call) => api.updateUser({ params: { id: user.id }, body: { status: 'inactive' } }, call), onDone);
  return (
    <FormDialog
      title={text.deactivateTitle(user.name)}
      action={text.deactivate}
      isDanger
      write={update}
      onSubmit={() => update.run(undefined)}
      onClose={onClose}
    >
      <p>{text.deactivateText}</p>
    </FormDialog>
  );
};
