import type { JSX } from 'react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import type { Contact } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Avatar, Badge } from '../../components/basics.tsx';
import { times } from '../../components/columns.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { FilterText } from '../../components/filter-text.tsx';
import type { Column } from '../../components/table.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { formatCount } from '../../components/time.tsx';
import { addressOf } from '../../data/phone.ts';
import { read, readPages } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { useMay } from '../../data/session.ts';
import { contactsText } from '../../text/contacts.ts';
import { useLocale, useText } from '../../text/text.ts';
import { ContactForm } from './contact-form.tsx';
import './contacts.css';

/** Everybody whom the company knows: found by name, phone, group, tag and consent, and opened beside the list. */
const Contacts = (): JSX.Element => {
  const text = useText(contactsText);
  const { tag } = useLocale();
  const navigate = useNavigate();
  const mayWrite = useMay('member');
  const { dialog, open, close } = useDialog();
  const { query, filters, isFiltered } = useContactFilters();
  const input = { query };
  const list = useInfiniteQuery(readPages('listContacts', input));
  const pages = list.data?.pages ?? [];
  const rows = pages.flatMap((page) => page.data);
  const meta = pages[0]?.meta;
  useInspectable({ title: text.contacts, call: { operation: 'listContacts', input } });
  const openContact = (id: number): void => void navigate({ to: '/contacts/$id', params: { id }, search: (before) => before });
  const create = (): void =>
    open(
      <ContactForm
        onClose={close}
        onDone={({ id }) => {
          close();
          openContact(id);
        }}
      />,
    );
  return (
    <div className="contacts">
      <TablePage
        title={text.contacts}
        file="contacts"
        query={list}
        rows={rows}
        columns={useColumns()}
        create={mayWrite ? { label: text.newContact, onCreate: create } : undefined}
        actions={
          mayWrite && (
            <Link className="button" to="/contacts/import">
              {text.importFile}
            </Link>
          )
        }
        leading={
          meta !== undefined && (
            <span className="muted numbers" aria-live="polite">
              {meta.total_is_partial ? text.atLeast(formatCount(tag, meta.total)) : text.count(meta.total)}
            </span>
          )
        }
        filters={filters}
        empty={isFiltered ? { icon: 'users', title: text.noMatch } : { icon: 'users', title: text.none, hint: text.noneHint }}
        hasMore={list.hasNextPage}
        onEnd={() => {
          if (list.hasNextPage && !list.isFetching) void list.fetchNextPage();
        }}
      >
        {dialog}
      </TablePage>
      <Outlet />
    </div>
  );
};
export default Contacts;

/** What the address of the page says of which contacts are wanted, and the fields in which that is chosen. */
const useContactFilters = () => {
  const text = useText(contactsText);
  const [search, setSearch] = useFilter('q');
  const [group, setGroup] = useFilter('group');
  const [label, setLabel] = useFilter('tag');
  const [consent, setConsent] = useFilter('consent');
  const groups = useQuery({ ...read('listGroups', { query: { limit: 100 } }), staleTime: 5 * 60_000 }).data?.data.data ?? [];
  const tags = useQuery({ ...read('listTags'), staleTime: 5 * 60_000 }).data?.data ?? [];
  const subscribed = consent === 'yes' ? true : consent === 'no' ? false : undefined;
  const rules = [
    ...(subscribed === undefined ? [] : [{ field: 'subscribed', op: 'eq', value: subscribed }]),
    ...(group === undefined ? [] : [{ field: 'group_id', op: 'eq', value: Number(group) }]),
    ...(label === undefined ? [] : [{ field: 'tag_id', op: 'eq', value: Number(label) }]),
  ];
  const query = {
    limit: 50,
    ...(search === undefined ? {} : { search }),
    ...(rules.length === 0 ? {} : { filter_condition: JSON.stringify({ match: 'all', rules }) }),
  };
  const choices = (all: readonly { id: number; name: string }[]): (readonly [string, string])[] => [
    ['', text.all],
    ...all.map(({ id, name }) => [String(id), name] as const),
  ];
  const filters = (
    <>
      <FilterText label={text.search} value={search} onText={setSearch} />
      <FilterSelect label={text.group} value={group} choices={choices(groups)} onText={setGroup} />
      <FilterSelect label={text.tag} value={label} choices={choices(tags)} onText={setLabel} />
      <FilterSelect
        label={text.campaigns}
        value={consent}
        choices={[
          ['', text.all],
          ['yes', text.accepts],
          ['no', text.optedOut],
        ]}
        onText={setConsent}
      />
    </>
  );
  return { query, filters, isFiltered: search !== undefined || rules.length > 0 };
};

const useColumns = (): Column<Contact>[] => {
  const text = useText(contactsText);
  return [
    {
      id: 'name',
      name: text.name,
      width: 'minmax(10rem, 2fr)',
      value: nameOf,
      cell: (contact) => (
        <Link className="row-link whole-row row" to="/contacts/$id" params={{ id: contact.id }} search={(before) => before}>
          <Avatar name={nameOf(contact)} size={26} />
          <span className="cut" dir="auto">
            {nameOf(contact)}
          </span>
        </Link>
      ),
    },
    { id: 'phone', name: text.phone, width: 'minmax(8rem, 1fr)', value: addressOf },
    {
      id: 'subscribed',
      name: text.campaigns,
      width: 'minmax(7rem, 9rem)',
      value: ({ subscribed, marketing_blocked }) => (subscribed && !marketing_blocked ? text.accepts : text.optedOut),
      cell: ({ subscribed, marketing_blocked, blocked }) =>
        blocked ? (
          <Badge look="bad">{text.blocked}</Badge>
        ) : subscribed && !marketing_blocked ? (
          <span className="muted">{text.accepts}</span>
        ) : (
          <Badge look="warn">{text.optedOut}</Badge>
        ),
      isExtra: true,
    },
    {
      id: 'groups',
      name: text.groupsAndTags,
      width: 'minmax(8rem, 2fr)',
      value: ({ groups, tags }) => [...groups, ...tags].map(({ name }) => name).join(', '),
      isExtra: true,
    },
    times('created_at', text.since, { width: '7rem', isNumber: true, isExtra: true }),
  ];
};

const nameOf = (contact: Contact): string => contact.name ?? addressOf(contact);
