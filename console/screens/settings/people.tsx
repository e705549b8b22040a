import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { User } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Avatar, Badge } from '../../components/basics.tsx';
import { badges, menus, named, type RowAction, times } from '../../components/columns.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { CheckField, FilterSelect, SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { ConfirmDialog, FormDialog } from '../../components/form-dialog.tsx';
import { FilterText } from '../../components/filter-text.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { api, type Input } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { type Role, useMay, useMe } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.ts';

const roles = ['viewer', 'member', 'admin', 'owner'] as const satisfies readonly Role[];

/** Who works here, and what each may do. */
const People = (): JSX.Element => {
  const text = useText(settingsText);
  const shell = useText(shellText);
  const me = useMe();
  const mayWrite = useMay('admin');
  const query = useQuery(read('listUsers', { query: {} }));
  const { dialog, open, close } = useDialog();
  const { rows, filters } = useFiltered(query.data?.data ?? []);
  useInspectable({ title: text.people, object: query.data?.data, call: { operation: 'listUsers', input: { query: {} } } });
  const done = (): void => {
    close();
    void refresh('listUsers', 'getMe');
  };
  const reactivate = useWrite((id: number, call) => api.updateUser({ params: { id }, body: { status: 'active' } }, call), done);
  const actionsOf = (user: User): RowAction[] => [
    { id: 'edit', label: text.edit, icon: 'edit', run: () => open(<EditUser user={user} onClose={close} onDone={done} />) },
    user.status === 'active'
      ? {
          id: 'deactivate',
          label: text.deactivate,
          icon: 'close',
          danger: true,
          run: () => open(<Deactivate user={user} onClose={close} onDone={done} />),
        }
      : { id: 'reactivate', label: text.reactivate, icon: 'check', run: () => reactivate.run(user.id) },
  ];
  return (
    <TablePage
      title={text.people}
      file="people"
      query={query}
      refused={reactivate.error}
      rows={rows}
      columns={[
        {
          id: 'name',
          name: text.name,
          width: 'minmax(9rem, 2fr)',
          value: ({ name }) => name,
          cell: ({ id, name }) => named(name, id === me.id && <Badge look="info">{text.you}</Badge>, <Avatar name={name} size={26} />),
        },
        {
          id: 'email',
          name: text.email,
          width: 'minmax(9rem, 2fr)',
          value: ({ email }) => email,
          cell: ({ email }) => <span title={email}>{email}</span>,
          isExtra: true,
        },
        badges<User>({ id: 'role', name: text.role, width: '7.5rem', value: ({ role }) => shell[role] }, ({ role }) =>
          role === 'owner' ? 'info' : '',
        ),
        badges<User>(
          { id: 'status', name: text.status, width: '6rem', value: ({ status }) => text[status], isExtra: true },
          ({ status }) => (status === 'active' ? undefined : 'warn'),
        ),
        times('created_at', text.created, { width: '10rem', isLong: true, isExtra: true }),
        menus<User>(
          text.actions,
          ({ name }) => name,
          (user) => (mayWrite ? actionsOf(user) : []),
        ),
      ]}
      create={mayWrite ? { label: text.userNew, onCreate: () => open(<NewUser onClose={close} onDone={done} />) } : undefined}
      filters={filters}
      empty={{ icon: 'users', title: text.noPeople, more: null }}
    >
      {dialog}
    </TablePage>
  );
};
export default People;

/** The users that the filters let through, and the filters. */
const useFiltered = (users: readonly User[]): { rows: User[]; filters: JSX.Element } => {
  const text = useText(settingsText);
  const shell = useText(shellText);
  const [search, setSearch] = useFilter('q');
  const [role, setRole] = useFilter('role');
  const [withInactive, setWithInactive] = useFilter('inactive');
  const wanted = (search ?? '').trim().toLowerCase();
  return {
    rows: users.filter(
      (user) =>
        (withInactive !== undefined || user.status === 'active') &&
        (role === undefined || user.role === role) &&
        `${user.name} ${user.email}`.toLowerCase().includes(wanted),
    ),
    filters: (
      <>
        <FilterText label={text.search} value={search} onText={setSearch} isImmediate />
        <FilterSelect
          label={text.role}
          value={role}
          choices={[['', text.all], ...roles.map((each) => [each, shell[each]] as const)]}
          onText={setRole}
        />
        <CheckField
          label={text.withInactive}
          checked={withInactive !== undefined}
          onCheck={(on) => setWithInactive(on ? '1' : undefined)}
        />
      </>
    ),
  };
};

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

const emptyUser: Input<'createUser'>['body'] = { name: '', email: '', role: 'member' };

const NewUser = ({ onClose, onDone }: DialogProps): JSX.Element => {
  const text = useText(settingsText);
  const choices = useRoleChoices();
  const { values, field, submitting } = useForm(emptyUser, (body, call) => api.createUser({ body }, call), onDone);
  return (
    <FormDialog
      {...submitting}
      title={text.userNew}
      action={text.userAdd}
      isDisabled={values.name.trim() === '' || values.email.trim() === ''}
      onClose={onClose}
    >
      <TextField label={text.name} {...field('name')} />
      <TextField label={text.email} hint={text.emailHint} type="email" {...field('email')} />
      <SelectField label={text.role} choices={choices} {...field('role')} />
    </FormDialog>
  );
};

const EditUser = ({ user: { id, name, role }, onClose, onDone }: DialogProps & { user: User }): JSX.Element => {
  const text = useText(settingsText);
  const choices = useRoleChoices();
  const { values, field, submitting } = useForm(
    { name, role },
    (_, call, { name: newName, ...changed }) =>
      api.updateUser({ params: { id }, body: { ...changed, ...(newName === undefined ? {} : { name: newName.trim() }) } }, call),
    onDone,
  );
  return (
    <FormDialog {...submitting} title={name} isDisabled={values.name.trim() === '' || !submitting.isChanged} onClose={onClose}>
      <TextField label={text.name} {...field('name')} />
      <SelectField label={text.role} choices={choices} {...field('role')} />
    </FormDialog>
  );
};

const Deactivate = ({ user: { id, name }, onClose, onDone }: DialogProps & { user: User }): JSX.Element => {
  const text = useText(settingsText);
  return (
    <ConfirmDialog
      title={text.deactivateTitle(name)}
      action={text.deactivate}
      send={(call) => api.updateUser({ params: { id }, body: { status: 'inactive' } }, call)}
      onDone={onDone}
      onClose={onClose}
    >
      <p>{text.deactivateText}</p>
    </ConfirmDialog>
  );
};
