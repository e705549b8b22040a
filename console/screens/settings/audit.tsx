import { type JSX, useCallback, useMemo } from 'react';
import type { AuditEntry } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Copyable, Empty, Loading } from '../../components/basics.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { Facts, Page } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { type Column, CsvButton, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useRows } from '../../data/pages.ts';
import { useFilter } from '../../data/search.ts';
import { useUsers } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';

const kinds = ['company', 'user', 'credential', 'number', 'verification_profile', 'webhook_endpoint'] as const;
const input = { query: { limit: 100 } };

type Changes = AuditEntry['changes'];
type Value = Changes[string]['from'];

/** Every change of the account: who, when, what, before and after. */
const Audit = (): JSX.Element => {
  const text = useText(settingsText);
  const { rows: all, error, isPending, hasMore, readOn, refetch } = useRows('listAuditEntries', input);
  const users = useUsers();
  const [kind, setKind] = useFilter('kind');
  const [user, setUser] = useFilter('user');
  const [opened, setOpened] = useFilter('entry');
  useInspectable({ title: text.audit, call: { operation: 'listAuditEntries', input } });
  const rows = useMemo(
    () =>
      all.filter(({ target, by }) => (kind === undefined || target.kind === kind) && (user === undefined || String(by.user_id) === user)),
    [all, kind, user],
  );
  const who = useCallback(
    ({ by }: AuditEntry) =>
      users.find(({ id }) => id === by.user_id)?.name ??
      by.operator ??
      { api: text.viaApi, command_line: text.viaCommandLine, system: text.viaSystem }[by.via],
    [users, text],
  );
  const columns = useMemo(
    (): Column<AuditEntry>[] => [
      {
        id: 'action',
        name: text.what,
        width: 'minmax(9rem, 2fr)',
        value: ({ action }) => action,
        cell: ({ id, action }) => (
          <button type="button" className="row-link" onClick={() => setOpened(id)}>
            <code>{action}</code>
          </button>
        ),
      },
      { id: 'who', name: text.who, width: 'minmax(7rem, 1fr)', value: who },
      {
        id: 'target',
        name: text.target,
        width: 'minmax(8rem, 1fr)',
        value: ({ target }) => `${target.kind}:${target.id}`,
        cell: ({ target }) => <code>{`${target.kind}:${target.id}`}</code>,
        isExtra: true,
      },
      {
        id: 'changes',
        name: text.changes,
        width: 'minmax(8rem, 2fr)',
        value: ({ changes }) => JSON.stringify(Object.fromEntries(changesOf(changes))),
        cell: ({ changes }) => <span title={namesOf(changes).join('\n')}>{namesOf(changes).join(', ')}</span>,
        isExtra: true,
      },
      { id: 'at', name: text.at, width: '4rem', value: ({ at }) => at, cell: ({ at }) => <Time at={at} />, isNumber: true },
    ],
    [text, who, setOpened],
  );
  const shown = all.find(({ id }) => id === opened);
  const isFiltered = kind !== undefined || user !== undefined;
  return (
    <Page
      title={text.audit}
      isTable
      actions={<CsvButton name="audit-log" columns={columns} rows={rows} />}
      filters={
        <>
          <FilterSelect
            label={text.target}
            value={kind}
            choices={[['', '–'], ...kinds.map((each) => [each, each] as const)]}
            onText={setKind}
          />
          <FilterSelect
            label={text.who}
            value={user}
            choices={[['', '–'], ...users.map(({ id, name }) => [String(id), name] as const)]}
            onText={setUser}
          />
          {isFiltered && hasMore && <span className="muted">{text.shownOnly}</span>}
        </>
      }
    >
      {error && <ProblemCard error={error} onRetry={() => void refetch()} />}
      {isPending && !error && <Loading />}
      {!isPending && !error && rows.length === 0 && !hasMore && (
        <Empty icon="shield" title={text.noAudit}>
          <p>{text.noAuditHint}</p>
        </Empty>
      )}
      {(rows.length > 0 || (isFiltered && hasMore)) && (
        <Table label={text.audit} columns={columns} rows={rows} keyOf={({ id }) => id} onEnd={readOn} />
      )}
      {shown && <EntryDialog entry={shown} who={who(shown)} onClose={() => setOpened(undefined)} />}
    </Page>
  );
};
export default Audit;

/** Fields in one order, whatever the order of the record. */
const changesOf = (changes: Changes) => Object.entries(changes).toSorted(([a], [b]) => a.localeCompare(b));
const namesOf = (changes: Changes): string[] => changesOf(changes).map(([field]) => field);

const EntryDialog = ({ entry, who, onClose }: { entry: AuditEntry; who: string; onClose: () => void }): JSX.Element => {
  const text = useText(settingsText);
  const { by, target, changes } = entry;
  const via = { api: text.viaApi, command_line: text.viaCommandLine, system: text.viaSystem }[by.via];
  return (
    <Dialog title={entry.action} onClose={onClose} wide>
      <Facts
        facts={[
          [text.at, <Time key="at" at={entry.at} long />],
          [text.who, who],
          [text.via, via],
          [text.target, <Copyable key="target" value={`${target.kind}:${target.id}`} />],
          ...(by.credential_id === null ? [] : [[text.credential, `${by.credential_kind ?? ''} ${by.credential_id}`] as const]),
          ...(by.request_id === null ? [] : [[text.request, <Copyable key="request" value={by.request_id} />] as const]),
        ]}
      />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys */}
      <div className="table-wrap" tabIndex={0} role="region" aria-label={text.changes}>
        <table className="table change-table">
          <caption className="hidden-text">{text.changes}</caption>
          <thead>
            <tr>
              <th scope="col">{text.field}</th>
              <th scope="col">{text.before}</th>
              <th scope="col">{text.after}</th>
            </tr>
          </thead>
          <tbody>
            {changesOf(changes).map(([field, { from, to }]) => (
              <tr key={field}>
                <td>
                  <code>{field}</code>
                </td>
                <td>
                  <Shown field={field} value={from} />
                </td>
                <td>
                  <Shown field={field} value={to} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Dialog>
  );
};

const Shown = ({ field, value }: { field: string; value: Value }): JSX.Element => {
  const text = useText(settingsText);
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return <span className="muted">{text.empty}</span>;
  if (field.endsWith('_at') && typeof value === 'number') return <Time at={new Date(value).toISOString()} long />;
  return <code>{Array.isArray(value) ? value.join(', ') : String(value)}</code>;
};
