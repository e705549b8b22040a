import type { JSX } from 'react';
import type { AuditEntry } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Copyable } from '../../components/basics.tsx';
import { opening, times } from '../../components/columns.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { CheckField, FilterSelect } from '../../components/fields.tsx';
import { Facts } from '../../components/page.tsx';
import { ScrolledTable } from '../../components/plain-table.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { formatTime, Time } from '../../components/time.tsx';
import { useRows } from '../../data/pages.ts';
import { useFilter } from '../../data/search.ts';
import { useUsers } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { useLocale, useText } from '../../text/text.ts';
import { differencesOf, isOfSession, sentenceOf, userOf, wordsOfValue } from './audit-words.ts';

const kinds = [
  'company',
  'user',
  'credential',
  'number',
  'verification_profile',
  'webhook_endpoint',
  'rate_card',
  'spend_ceilings',
  'token_ceiling',
  'contact',
] as const;
const input = { query: { limit: 100 } };

/** Every change of the account: who, when, what, before and after. */
const Audit = (): JSX.Element => {
  const text = useText(settingsText);
  const { rows: all, hasMore, readOn, ...query } = useRows('listAuditEntries', input);
  const users = useUsers();
  const [kind, setKind] = useFilter('kind');
  const [user, setUser] = useFilter('user');
  const [withSessions, setWithSessions] = useFilter('sessions');
  const [opened, setOpened] = useFilter('entry');
  useInspectable({ title: text.audit, call: { operation: 'listAuditEntries', input } });
  const { who, what, differences } = useWords();
  const kindNames: Readonly<Record<(typeof kinds)[number], string>> = {
    company: text.company,
    user: text.people,
    credential: text.auditCredential,
    number: text.numbers,
    verification_profile: text.auditProfile,
    webhook_endpoint: text.auditWebhook,
    rate_card: text.auditRates,
    spend_ceilings: text.auditCeilings,
    token_ceiling: text.auditTokenCeiling,
    contact: text.auditContact,
  };
  const shown = all.find(({ id }) => id === opened);
  const isFiltered = kind !== undefined || user !== undefined;
  return (
    <TablePage
      title={text.audit}
      file="audit-log"
      query={query}
      rows={all.filter(
        (entry) =>
          (kind === undefined || entry.target.kind === kind) &&
          (user === undefined || String(userOf(entry)) === user) &&
          (withSessions !== undefined || !isOfSession(entry)),
      )}
      columns={[
        { id: 'who', name: text.who, width: 'minmax(7rem, 12rem)', value: who },
        opening<AuditEntry>({ id: 'action', name: text.what, width: 'minmax(9rem, 22rem)', value: what }, setOpened, { isPlain: true }),
        {
          id: 'changes',
          name: text.changes,
          width: 'minmax(8rem, 26rem)',
          value: (entry) => differences(entry).join('; '),
          cell: (entry) => <span title={differences(entry).join('\n')}>{differences(entry).join(' · ')}</span>,
          isExtra: true,
        },
        times('at', text.at, { width: '9rem', isNumber: true, isExact: true }),
      ]}
      filters={
        <>
          <FilterSelect
            label={text.target}
            value={kind}
            choices={[['', text.all], ...kinds.map((each) => [each, kindNames[each]] as const)]}
            onText={setKind}
          />
          <FilterSelect
            label={text.who}
            value={user}
            choices={[['', text.all], ...users.map(({ id, name }) => [String(id), name] as const)]}
            onText={setUser}
          />
          <CheckField
            label={text.withSessions}
            checked={withSessions !== undefined}
            onCheck={(on) => setWithSessions(on ? '1' : undefined)}
          />
          {isFiltered && hasMore && <span className="muted">{text.shownOnly}</span>}
        </>
      }
      empty={{ icon: 'shield', title: text.noAudit, hint: text.noAuditHint }}
      hasMore={hasMore}
      onEnd={readOn}
    >
      {shown && <EntryDialog entry={shown} title={what(shown)} who={who(shown)} onClose={() => setOpened(undefined)} />}
    </TablePage>
  );
};
export default Audit;

/** Entries as sentences, in the reader's language and with the names of users. */
const useWords = () => {
  const text = useText(settingsText);
  const { tag } = useLocale();
  const users = useUsers();
  const vias = useVias();
  const nameOf = (id: number | null): string | undefined => users.find((user) => user.id === id)?.name;
  return {
    who: (entry: AuditEntry): string => nameOf(userOf(entry)) ?? entry.by.operator ?? vias[entry.by.via],
    what: (entry: AuditEntry): string => sentenceOf(entry, nameOf, text),
    differences: (entry: AuditEntry): string[] =>
      differencesOf(entry, text, (ms) => formatTime(tag, ms, { dateStyle: 'medium', timeStyle: 'short' })),
  };
};

const useVias = (): Record<AuditEntry['by']['via'], string> => {
  const text = useText(settingsText);
  return { api: text.viaApi, command_line: text.viaCommandLine, system: text.viaSystem };
};

type EntryDialogProps = { entry: AuditEntry; title: string; who: string; onClose: () => void };
/** One entry, with every field by the name that the API has for it. */
const EntryDialog = ({ entry, title, who, onClose }: EntryDialogProps): JSX.Element => {
  const text = useText(settingsText);
  const { tag } = useLocale();
  const vias = useVias();
  const { by, changes, target } = entry;
  const words = (field: string, value: (typeof changes)[string]['from']): string =>
    wordsOfValue(field, value, text, (ms) => formatTime(tag, ms, { dateStyle: 'medium', timeStyle: 'medium' }));
  return (
    <Dialog title={title} onClose={onClose} wide>
      <Facts
        facts={[
          [text.at, <Time key="at" at={entry.at} exact />],
          [text.who, who],
          [text.via, vias[by.via]],
          [text.target, <Copyable key="target" value={`${target.kind}:${target.id}`} />],
          by.credential_id === null ? undefined : [text.credential, `${by.credential_kind ?? ''} ${by.credential_id}`],
          by.request_id === null ? undefined : [text.request, <Copyable key="request" value={by.request_id} />],
        ]}
      />
      <ScrolledTable
        name={text.changes}
        className="change-table"
        columns={[text.field, text.before, text.after]}
        rows={Object.entries(changes)
          .toSorted(([one], [other]) => one.localeCompare(other))
          .map(([field, { from, to }]) => ({
            key: field,
            cells: [<code key="field">{field}</code>, words(field, from), words(field, to)],
          }))}
      />
    </Dialog>
  );
};
