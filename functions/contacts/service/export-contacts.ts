import { getCounter } from '../../../shared/table/counter.ts';
import { contactEntityName } from '../contract/stored.ts';
import type { Contact } from '../contract/stored.ts';
import { csvLine } from '../../../shared/runtime/csv-line.ts';
import { formatNames } from '../domain/imports/columns.ts';
import { toContactRecord } from '../domain/contact-record.ts';
import { listFieldDefinitions } from '../store/field.ts';
import { listLabels } from '../store/label.ts';
import { listContactsBelow } from '../store/contact-list.ts';

/**
 * The contacts of a company as CSV, newest first, in chunks; the first chunk is the header row. The import can read the file back. A contact
 * created during the export may be missing. Cells that a spreadsheet would execute are made inert, unless `isRaw`. 0.5 RRU per 4 KB of contacts, as the list.
 */
export async function* exportContacts(
  companyId: number,
  options: { isRaw?: boolean } = {},
): AsyncGenerator<{ text: string; contacts: number }> {
  const [{ lastId }, fields] = await Promise.all([getCounter(companyId, contactEntityName), listFieldDefinitions(companyId)]);
  const writer = await contactWriter(
    companyId,
    fields.map(({ key }) => key),
    'csv',
    options,
  );
  yield { text: writer.begin, contacts: 0 };
  for (let below = lastId + 1; below > 1; ) {
    const contacts = await listContactsBelow(companyId, below, pageSize);
    const last = contacts.at(-1);
    if (last === undefined) return;
    yield { text: contacts.map(writer.line).join(writer.separator), contacts: contacts.length };
    below = last.id;
  }
}

/** How contacts are written to a file: one after the other with the separator between, after the begin and before the end. 5 RRU. */
export const contactWriter = async (
  companyId: number,
  keys: readonly string[],
  format: 'csv' | 'json',
  options: { isRaw?: boolean } = {},
) => {
  const { groups, tags } = await listLabels(companyId);
  const names = { groups: new Map(groups.map((each) => [each.id, each])), tags: new Map(tags.map((each) => [each.id, each])) };
  if (format === 'json')
    return {
      type: 'application/json',
      begin: '[\n',
      separator: ',\n',
      end: '\n]\n',
      line: (contact: Contact): string => JSON.stringify(toContactRecord(contact, names)),
    };
  const line = (cells: readonly string[]): string => csvLine(cells, options);
  return {
    type: 'text/csv; charset=utf-8',
    begin: line([...plainColumns, ...keys.map((key) => `custom.${key}`), 'created_at', 'updated_at']),
    separator: '',
    end: '',
    line: (contact: Contact): string => {
      const { groups: inGroups, tags: withTags, custom, created_at, updated_at, ...plain } = toContactRecord(contact, names);
      return line([
        ...plainColumns.map((column) =>
          column === 'groups'
            ? formatNames(inGroups.map(({ name }) => name))
            : column === 'tags'
              ? formatNames(withTags.map(({ name }) => name))
              : String(plain[column] ?? ''),
        ),
        ...keys.map((key) => String(custom[key] ?? '')),
        created_at,
        updated_at,
      ]);
    },
  };
};

/** The number of contacts, for progress displays. 0.5 RRU. */
export const countContacts = async (companyId: number): Promise<number> => (await getCounter(companyId, contactEntityName)).total;

const pageSize = 500;

const plainColumns = [
  'id',
  'phone',
  'name',
  'email',
  'city',
  'country',
  'company',
  'subscribed',
  'is_on_whatsapp',
  'groups',
  'tags',
  'user_id',
  'username',
  'reachable_by',
  'enabled_ai_bot',
] as const;
