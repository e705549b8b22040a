import { isProblem, problem, type Problem } from '../../../../shared/contract/problems.ts';
import { readObject } from '../../../../shared/objects/bucket.ts';
import { now } from '../../../../shared/runtime/clock.ts';
import { type ImportPreview, importsBucket, type StoredImport } from '../../contract/import.ts';
import type { ContactBody } from '../../contract/contact-body.ts';
import { canonicalPhone, countryOfPhone } from '../../contract/phone.ts';
import type { Contact } from '../../contract/stored.ts';
import { newTag } from '../../contract/tag.ts';
import { changed, merged, newContact, restored } from '../../domain/contact.ts';
import { type Column, normalizedTag, parseNames } from '../../domain/imports/columns.ts';
import { type CsvRecord, csvProblems } from '../../domain/imports/csv-reader.ts';
import { uploadKey } from '../../domain/imports/object-keys.ts';
import type { Field } from '../../domain/field.ts';
import { listFieldDefinitions } from '../../store/field.ts';
import { getImportJob } from '../../store/import.ts';
import { listAllTags } from '../../store/label.ts';
import { isErased, unsubscribed } from '../erased-identities.ts';
import { getDefaultCountry } from '../phones.ts';
import { resolveReferences } from '../references.ts';
import { getContactByPhone } from '../upsert-by-identity.ts';
import { validateContact } from '../validate-contact.ts';
import { readRow, rowErrors, tagIdsByName, withKnownContact } from './import-rows.ts';
import { describeErrors, readSlice, type Slice } from './read-slice.ts';

/** Rows that a dry run decides on. */
const previewedRows = 20;

/**
 * GET /contacts/imports/{id}/preview: what the first rows of an uploaded file would become, by the rules of the import. Writes nothing: the
 * limit of the plan is not counted, and groups, tags and fields that would be created are taken as they would be. About 5 RRU a row.
 */
export const previewImport = async (companyId: number, id: number): Promise<ImportPreview | Problem<'not_found' | 'upload_missing'>> => {
  const job = await getImportJob(companyId, id);
  if (job === undefined) return problem('not_found');
  const file = await readObject(importsBucket, uploadKey(job));
  if (file === undefined) return problem('upload_missing');
  const { size: bytes, mapping, ignoresUnknown } = job;
  const read = await readSlice({ cursor: 0, line: 1, bytes, mapping, ignoresUnknown }, file);
  if ('refused' in read) return { columns: [], rows: [], error: { code: read.code, message: read.refused } };
  const columns = read.header.map((name, place) => ({ name, meaning: meaningOf(read.columns[place]) }));
  return { columns, rows: await previewRows(job, read), error: null };
};

type PreviewRow = ImportPreview['rows'][number];

/** One after another, so that a row sees what an earlier one of the same phone would have made. */
async function previewRows(job: StoredImport, { columns, records }: Slice): Promise<PreviewRow[]> {
  const { companyId, subscribesNew: subscribedIfNew = false } = job;
  const [country, tags, fields] = await Promise.all([
    getDefaultCountry(companyId),
    columns.some(({ is }) => is === 'tags') ? listAllTags(companyId) : [],
    listFieldDefinitions(companyId),
  ]);
  const known = { country, tagIds: tagIdsByName(tags), fields, subscribedIfNew, contacts: new Map<string, Contact>() };
  const rows: PreviewRow[] = [];
  for (const record of records.slice(0, previewedRows)) rows.push(await previewRow(companyId, columns, record, known));
  return rows;
}

interface Known {
  country: string | undefined;
  tagIds: ReadonlyMap<string, number>;
  fields: readonly Field[];
  subscribedIfNew: boolean;
  /** As they would be after the rows before, by canonical phone or user id. */
  contacts: Map<string, Contact>;
}

async function previewRow(companyId: number, columns: readonly Column[], record: CsvRecord, known: Known): Promise<PreviewRow> {
  const row = { line: record.line, contact_id: null, values: valuesOf(columns, record), subscribed: null };
  const refused = (reasons: string): PreviewRow => ({ ...row, becomes: 'failed', reasons });
  if (record.problem) return refused(csvProblems[record.problem]);
  const place = columns.findIndex(({ is }) => is === 'tags');
  const names = place < 0 ? [] : parseNames((record.fields[place] ?? '').trim());
  const unknown = names.filter((name) => !known.tagIds.has(normalizedTag(name)));
  const invalidTag = unknown.find((name) => /^\d+$/.test(name) || !newTag.safeParse({ name }).success);
  const cells = place < 0 ? record.fields : record.fields.with(place, '');
  const read = readRow(columns, cells, () => undefined, known.country);
  const errors = [
    ...('errors' in read ? read.errors : []),
    ...(invalidTag === undefined ? [] : [{ column: 'tags', reason: `There is no tag ${invalidTag}.` }]),
  ];
  if ('errors' in read || errors.length > 0) return refused(describeErrors(errors));
  const tagIds = names.flatMap((name) => known.tagIds.get(normalizedTag(name)) ?? []);
  const found = await withKnownContact(companyId, read);
  if ('errors' in found) return refused(describeErrors(found.errors));
  const decided = await decide(companyId, { ...found.body, tagIds }, { ...known, named: found.contact });
  if (isProblem(decided)) return refused(describeErrors(rowErrors(decided.errors ?? {})));
  const { contact, seen, addsNew } = decided;
  known.contacts.set(identityOf(contact), contact);
  const isChanged = addsNew || unknown.length > 0 || (seen !== undefined && changed(seen, contact, contact.updatedAt) !== undefined);
  return {
    ...row,
    values: { ...row.values, phone: found.body.phone },
    becomes: seen === undefined ? 'created' : isChanged ? 'updated' : 'unchanged',
    reasons: '',
    contact_id: contact.id === 0 ? null : contact.id,
    subscribed: contact.subscribed,
  };
}

/** A contact without a phone is known by its user id. */
const identityOf = ({ phone, userId }: Contact): string => (phone === '' ? `user:${userId}` : canonicalPhone(phone));

/** The contact as the row would leave it. `addsNew`: it names groups or fields that would be created. */
async function decide(
  companyId: number,
  body: ContactBody,
  { fields, subscribedIfNew, contacts, named }: Known & { named: Contact | undefined },
) {
  const plan = await resolveReferences(companyId, body);
  if (isProblem(plan)) return plan;
  const { phone } = body;
  const { groupIds, tagIds, custom } = plan;
  const given = {
    ...body,
    groupIds,
    tagIds,
    custom,
    phoneCountry: countryOfPhone(phone),
    consentSource: 'import' as const,
    subscribedIfNew,
  };
  const seen = named
    ? (contacts.get(identityOf(named)) ?? named)
    : (contacts.get(canonicalPhone(phone)) ?? (await getContactByPhone(companyId, phone)));
  const addsNew = plan.newGroups.length > 0 || plan.newFields.length > 0;
  const at = now();
  if (seen) {
    const after = validateContact(seen, merged(restored(seen), given, at), fields);
    return isProblem(after) ? after : { contact: after, seen, addsNew };
  }
  const created = validateContact(undefined, newContact(companyId, 0, given, at, fields), fields);
  if (isProblem(created)) return created;
  return { contact: (await isErased(companyId, { phone })) ? unsubscribed(created) : created, seen: undefined, addsNew };
}

const meaningOf = (column: Column | undefined): string => (column?.is === 'custom' ? `custom.${column.key}` : (column?.is ?? 'ignored'));

/** The cells of a row by what their columns mean. */
const valuesOf = (columns: readonly Column[], { fields }: CsvRecord): Record<string, string> =>
  Object.fromEntries(
    columns.flatMap((column, place) => {
      const value = fields[place]?.trim() ?? '';
      return column.is === 'ignored' || value === '' ? [] : [[meaningOf(column), value]];
    }),
  );
