import { type JSX, useMemo, useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import type { Contact, Segment } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Avatar, Badge, Button } from '../../components/basics.tsx';
import { times } from '../../components/columns.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { FilterText } from '../../components/filter-text.tsx';
import { ConfirmDialog } from '../../components/form-dialog.tsx';
import type { Column } from '../../components/table.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { formatCount } from '../../components/time.tsx';
import { addressOf } from '../../data/phone.ts';
import { api } from '../../data/client.ts';
import { readPages, refresh } from '../../data/queries.ts';
import { useFilter, useSetFilters } from '../../data/search.ts';
import { useMay } from '../../data/session.ts';
import { contactsText } from '../../text/contacts.ts';
import { type TextOf, useLocale, useText } from '../../text/text.ts';
import { ChosenCount, useChosen } from './chosen-contacts.tsx';
import { ContactForm } from './contact-form.tsx';
import { useDeletedContacts } from './deleted-contacts.tsx';
import { useLabels } from './filter-names.ts';
import { filterOf, type Rule, sentenceOf } from './filter-words.ts';
import { JobBar, ManyContacts, type Selection } from './many-contacts.tsx';
import { SegmentForm } from './segment-form.tsx';
import './contacts.css';

/** Everybody whom the company knows: found by name, phone, group, tag and consent, and opened beside the list. */
const Contacts = (): JSX.Element => {
  const text = useText(contactsText);
  const { tag } = useLocale();
  const navigate = useNavigate();
  const mayWrite = useMay('member');
  const { dialog, open, close } = useDialog();
  const { query, filters, isFiltered, isDeleted, segment, filter, setSegment } = useContactFilters();
  const deleted = useDeletedContacts(mayWrite);
  const [job, setJob] = useState<number>();
  const { names } = useLabels();
  const input = { query };
  const list = useInfiniteQuery(readPages('listContacts', input));
  const rows = list.data?.pages.flatMap((page) => page.data) ?? [];
  const meta = list.data?.pages[0]?.meta;
  const chosen = useChosen(rows, nameOf);
  const columns = useColumns(mayWrite ? chosen.column : undefined);
  const found: Selection = segment ? { segment_id: segment.id } : filter ? { filter } : { all: true };
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
  const saved = ({ id }: { id: number }): void => {
    close();
    setSegment(String(id));
  };
  return (
    <div className="contacts">
      <TablePage
        title={text.contacts}
        file="contacts"
        query={list}
        rows={rows}
        columns={isDeleted ? deleted.columns : columns}
        create={mayWrite && !isDeleted ? { label: text.newContact, onCreate: create } : undefined}
        actions={
          mayWrite &&
          !isDeleted && (
            <ListActions
              selection={(meta?.total ?? 0) === 0 ? undefined : chosen.ids.length > 0 ? { contact_ids: [...chosen.ids] } : found}
              onStarted={setJob}
            />
          )
        }
        leading={<Leading chosen={chosen} meta={meta} />}
        filters={
          <>
            {filters}
            {!isDeleted && (
              <SegmentTools
                sentence={segment ? sentenceOf(segment.filter, names, text, tag) : filter && sentenceOf(filter, names, text, tag)}
                segment={segment}
                onSave={() => open(<SegmentForm filter={filter} onClose={close} onDone={saved} />)}
                onEdit={(each) => open(<SegmentForm segment={each} onClose={close} onDone={close} />)}
                onRemove={(each) => open(<RemoveSegment segment={each} onClose={close} onDone={() => setSegment(undefined)} />)}
              />
            )}
          </>
        }
        empty={emptyOf(text, isDeleted, isFiltered)}
        hasMore={list.hasNextPage}
        onEnd={() => {
          if (list.hasNextPage && !list.isFetching) void list.fetchNextPage();
        }}
      >
        {mayWrite && <JobBar mine={job} />}
        {dialog}
        {deleted.dialog}
      </TablePage>
      <Outlet />
    </div>
  );
};
export default Contacts;

/** What is done with many contacts at once, those that are chosen or all that are found; and the way to more of them. */
const ListActions = ({ selection, onStarted }: { selection: Selection | undefined; onStarted: (job: number) => void }): JSX.Element => {
  const text = useText(contactsText);
  return (
    <>
      {selection && <ManyContacts selection={selection} onStarted={onStarted} />}
      <Link className="button" to="/contacts/import">
        {text.importFile}
      </Link>
    </>
  );
};

/** What stands in place of no rows; a button that makes the first one only where none is looked for. */
const emptyOf = (text: TextOf<typeof contactsText>, isDeleted: boolean, isFiltered: boolean) => {
  if (isDeleted) return { icon: 'trash' as const, title: text.noneDeleted, hint: text.noneDeletedHint };
  return isFiltered ? { icon: 'users' as const, title: text.noMatch } : { icon: 'users' as const, title: text.none, hint: text.noneHint };
};

interface LeadingProps {
  chosen: Parameters<typeof ChosenCount>[0];
  meta: { total: number; total_is_partial?: boolean } | undefined;
}

/** How many are chosen, or else how many there are. */
const Leading = ({ chosen: { ids, clear }, meta }: LeadingProps): JSX.Element | null => {
  if (ids.length > 0) return <ChosenCount ids={ids} clear={clear} />;
  return meta ? <Total count={meta.total} isPartial={meta.total_is_partial === true} /> : null;
};

const Total = ({ count, isPartial }: { count: number; isPartial: boolean }): JSX.Element => {
  const text = useText(contactsText);
  const { tag } = useLocale();
  return (
    <span className="muted numbers" aria-live="polite">
      {isPartial ? text.atLeast(formatCount(tag, count)) : text.count(count)}
    </span>
  );
};

/** What the address of the page says of which contacts are wanted, and the fields in which that is chosen. */
const useContactFilters = () => {
  const text = useText(contactsText);
  const [search, setSearch] = useFilter('q');
  const [group, setGroup] = useFilter('group');
  const [label, setLabel] = useFilter('tag');
  const [consent, setConsent] = useFilter('consent');
  const [segmentId] = useFilter('segment');
  const [view] = useFilter('view');
  const isDeleted = view === 'deleted';
  const setFilters = useSetFilters();
  const { groups, tags, segments } = useLabels();
  const segment = segments.find(({ id }) => String(id) === segmentId);
  const others = { q: undefined, group: undefined, tag: undefined, consent: undefined };
  // a segment takes the place of the other filters, and so do the deleted contacts
  const setSegment = (id: string | undefined): void => setFilters({ ...others, segment: id === '' ? undefined : id });
  const setView = (next: string): void => setFilters({ ...others, segment: undefined, view: next === '' ? undefined : next });
  const subscribed = consent === 'yes' ? true : consent === 'no' ? false : undefined;
  const rules: Rule[] = [
    ...(subscribed === undefined ? [] : [{ field: 'subscribed', op: 'eq' as const, value: subscribed }]),
    ...(group === undefined ? [] : [{ field: 'group_id', op: 'eq' as const, value: Number(group) }]),
    ...(label === undefined ? [] : [{ field: 'tag_id', op: 'eq' as const, value: Number(label) }]),
  ];
  const query = isDeleted
    ? { limit: 50, only_deleted: true }
    : {
        limit: 50,
        ...(search === undefined ? {} : { search }),
        ...(segmentId === undefined ? {} : { segment_id: Number(segmentId) }),
        ...(rules.length === 0 || segmentId !== undefined ? {} : { filter_condition: JSON.stringify({ match: 'all', rules }) }),
      };
  const choices = (all: readonly { id: number; name: string }[]): (readonly [string, string])[] => [
    ['', text.all],
    ...all.map(({ id, name }) => [String(id), name] as const),
  ];
  const filters = (
    <>
      {!isDeleted && (
        <>
          <FilterText label={text.search} value={search} onText={setSearch} />
          {segments.length > 0 && <FilterSelect label={text.segment} value={segmentId} choices={choices(segments)} onText={setSegment} />}
        </>
      )}
      {!isDeleted && segmentId === undefined && (
        <>
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
      )}
      <FilterSelect
        label={text.shown}
        value={isDeleted ? view : undefined}
        choices={[
          ['', text.contacts],
          ['deleted', text.deleted],
        ]}
        onText={setView}
      />
    </>
  );
  return {
    query,
    filters,
    isDeleted,
    segment,
    setSegment,
    filter: filterOf({ search, rules }),
    isFiltered: search !== undefined || rules.length > 0 || segmentId !== undefined,
  };
};

const useColumns = (boxes: Column<Contact> | undefined): Column<Contact>[] => {
  const text = useText(contactsText);
  return useMemo(
    (): Column<Contact>[] => [
      ...(boxes ? [boxes] : []),
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
    ],
    [text, boxes],
  );
};

const nameOf = (contact: Contact): string => contact.name ?? addressOf(contact);

interface SegmentToolsProps {
  /** What is shown, in words; undefined: everybody. */
  sentence: string | undefined;
  segment: Segment | undefined;
  onSave: () => void;
  onEdit: (segment: Segment) => void;
  onRemove: (segment: Segment) => void;
}

/** The filter as a sentence, and saving it under a name. */
const SegmentTools = ({ sentence, segment, onSave, onEdit, onRemove }: SegmentToolsProps): JSX.Element | null => {
  const text = useText(contactsText);
  const mayWrite = useMay('member');
  if (sentence === undefined)
    return mayWrite ? (
      <Button small look="quiet" icon="plus" onClick={onSave}>
        {text.newSegment}
      </Button>
    ) : null;
  return (
    <div className="filter-sentence row">
      <span className="cut grow" dir="auto" title={sentence}>
        {sentence}
      </span>
      {mayWrite && !segment && (
        <Button small icon="plus" onClick={onSave}>
          {text.saveAsSegment}
        </Button>
      )}
      {mayWrite && segment && (
        <>
          <Button small icon="edit" onClick={() => onEdit(segment)}>
            {text.editSegment}
          </Button>
          <Button small look="quiet" icon="trash" label={text.removeSegment} onClick={() => onRemove(segment)} />
        </>
      )}
    </div>
  );
};

/** A segment leaves; its contacts stay. */
const RemoveSegment = ({ segment, onClose, onDone }: { segment: Segment; onClose: () => void; onDone: () => void }): JSX.Element => {
  const text = useText(contactsText);
  return (
    <ConfirmDialog
      title={`${text.removeSegment}: ${segment.name}`}
      action={text.removeSegment}
      send={(call) => api.deleteSegment({ params: { id: segment.id } }, call)}
      onDone={() => {
        onClose();
        onDone();
        void refresh('listSegments');
      }}
      onClose={onClose}
    >
      <p>{text.removeSegmentText}</p>
    </ConfirmDialog>
  );
};
