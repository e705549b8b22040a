import { type FieldErrors, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { BulkBody, BulkResult } from '../contract/bulk.ts';
import type { GivenValues } from '../domain/contact.ts';
import { canonicalPhone, countryOfPhone, readListedPhone } from '../contract/phone.ts';
import { getGroup } from '../store/group.ts';
import { getTag } from '../store/tag.ts';
import { getDefaultCountry } from './phones.ts';
import { syncContacts } from './sync-contacts.ts';

/**
 * Validates the whole request, then writes it (A15). A repeated request continues where the first one failed, because contacts are found by
 * phone. The request has no custom fields: new contacts get the defaults, and required fields are not enforced. Units: as `syncContacts`.
 */
export const bulkSyncContacts = async (
  companyId: number,
  operationId: string,
  body: BulkBody,
): Promise<BulkResult | Problem<'validation_failed'>> => {
  const { listed, duplicates, errors } = mergeDuplicates(body, await countryFor(companyId, body));
  const assignment = { groupId: body.group_id ?? undefined, tagId: body.tag_id ?? undefined };
  const allErrors = { ...errors, ...(await unknownReferences(companyId, assignment)) };
  if (Object.keys(allErrors).length > 0) return problem('validation_failed', { errors: allErrors });
  const entries = listed.map((entry) => ({ canonical: entry.canonical, values: valuesOf(entry, assignment) }));
  const results = await syncContacts(companyId, operationId, entries, (_before, after) => after);
  const outcomes = entries.map((entry) => ({ phone: entry.values.phone, outcome: results.get(entry) }));
  const skipped = outcomes.filter(({ outcome }) => outcome === undefined || isProblem(outcome));
  const created = outcomes.filter(({ outcome }) => outcome !== undefined && !isProblem(outcome) && outcome.created).length;
  const synced = entries.length - skipped.length;
  return {
    synced_count: synced,
    updated_count: synced - created,
    created_count: created,
    skipped_limit_count: skipped.length,
    duplicate_count: duplicates,
    skipped: skipped.map(({ phone }) => ({ phone, reason: 'plan_limit' as const })),
  };
};

/** One contact of the list, after duplicates were merged. */
interface ListedContact {
  phone: string;
  canonical: string;
  name: string | undefined;
}

interface Assignment {
  groupId: number | undefined;
  tagId: number | undefined;
}

async function unknownReferences(companyId: number, { groupId, tagId }: Assignment): Promise<FieldErrors> {
  const [group, tag] = await Promise.all([
    groupId === undefined ? undefined : getGroup(companyId, groupId),
    tagId === undefined ? undefined : getTag(companyId, tagId),
  ]);
  return {
    ...(groupId === undefined || group ? {} : { group_id: [`There is no group ${groupId}.`] }),
    ...(tagId === undefined || tag ? {} : { tag_id: [`There is no tag ${tagId}.`] }),
  };
}

/** The company's default country, read only where it could matter. */
const countryFor = async (companyId: number, { contacts, country_code }: BulkBody): Promise<string | undefined> =>
  contacts.some(({ phone }) => readListedPhone(phone, country_code ?? undefined).dependsOnCountry)
    ? getDefaultCountry(companyId)
    : undefined;

/** Merges entries with variants of one number: position of the first, name of the last that has one. */
function mergeDuplicates(
  body: BulkBody,
  country: string | undefined,
): { listed: ListedContact[]; duplicates: number; errors: FieldErrors } {
  const byPhone = new Map<string, ListedContact>();
  const errors: FieldErrors = {};
  for (const [index, { phone: typed, name }] of body.contacts.entries()) {
    const read = readListedPhone(typed, body.country_code ?? undefined, country);
    if (!read.ok) {
      errors[`contacts.${index}.phone`] = [read.reason];
      continue;
    }
    const phone = read.digits;
    const canonical = canonicalPhone(phone);
    const first = byPhone.get(canonical);
    byPhone.set(canonical, { phone: first?.phone ?? phone, canonical, name: name || first?.name });
  }
  return { listed: [...byPhone.values()], duplicates: body.contacts.length - byPhone.size - Object.keys(errors).length, errors };
}

function valuesOf({ phone, name }: ListedContact, { groupId, tagId }: Assignment): GivenValues {
  return {
    phone,
    phoneCountry: countryOfPhone(phone),
    ...(name === undefined ? {} : { name }),
    ...(groupId === undefined ? {} : { groupIds: [groupId] }),
    ...(tagId === undefined ? {} : { tagIds: [tagId] }),
  };
}
