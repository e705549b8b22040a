import type { Conversation } from '../../../client/client.ts';
import { type CsvColumn, csvOf } from '../../data/csv.ts';
import { download } from '../../data/download.ts';

const columns: readonly CsvColumn<Conversation>[] = [
  { name: 'id', value: ({ id }) => id },
  { name: 'name', value: ({ contact }) => contact.name },
  { name: 'phone', value: ({ contact }) => contact.phone },
  { name: 'status', value: ({ status }) => status },
  { name: 'unread_count', value: ({ unread_count: unread }) => unread },
  { name: 'assigned_to', value: ({ assigned_to: user }) => user },
  { name: 'last_message', value: ({ last_message: last }) => last.value },
  { name: 'last_message_at', value: ({ last_message_at: at }) => at },
  { name: 'window_expires_at', value: ({ window: given }) => given.expires_at },
];

/** Saves the conversations of a view as a file for spreadsheets: of a chunk of its own, as few do. */
export const saveRows = (view: string, rows: readonly Conversation[]): void => download(`inbox-${view}.csv`, csvOf(columns, rows));
