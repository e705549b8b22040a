import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { invalid, isProblem, problem, type Problem } from '../../../../shared/contract/problems.ts';
import { drawWithoutKey, type Once } from '../../../../shared/contract/route.ts';
import { isoTime, now } from '../../../../shared/runtime/clock.ts';
import { getProfileRecord } from '../../../account/service/verification-profiles.ts';
import type { WhitelistInput, WhitelistRecord } from '../../contract/admin.ts';
import { parseIdentifier } from '../../domain/identifier.ts';
import { country, domain, network } from '../../domain/settings.ts';
import {
  whitelistEntryId,
  listWhitelistEntries,
  createWhitelistEntry,
  maxWhitelistEntries,
  deleteWhitelistEntry,
  type StoredWhitelistEntry,
} from '../../store/whitelist.ts';

export const listVerificationWhitelists = async (companyId: number, profileId: string | undefined): Promise<WhitelistRecord[]> =>
  (await listWhitelistEntries(companyId, profileId)).map(toWhitelistRecord);

export const createVerificationWhitelist = async (
  companyId: number,
  input: WhitelistInput,
  once: Once = drawWithoutKey,
): Promise<WhitelistRecord | Problem<'not_found' | 'validation_failed' | 'conflict'>> => {
  const profile = await getProfileRecord(companyId, input.profile_id);
  if (isProblem(profile)) return profile;
  const value = valueSchemas[input.kind].safeParse(input.value);
  if (!value.success) return invalid('value', ...value.error.issues.map(({ message }) => message));
  const full = problem('conflict', { message: `A profile can have at most ${maxWhitelistEntries} whitelist entries.` });
  const id = whitelistEntryId(input.profile_id, await once('id', randomUUID));
  const others = (await listWhitelistEntries(companyId, input.profile_id)).filter((each) => each.id !== id);
  if (others.length >= maxWhitelistEntries) return full;
  const entry: StoredWhitelistEntry = {
    companyId,
    profileId: input.profile_id,
    id,
    valueKind: input.kind,
    value: value.data,
    ...(input.expires_at ? { expiresAt: Date.parse(input.expires_at) } : {}),
    createdAt: now(),
  };
  const written = await createWhitelistEntry(entry);
  // an earlier attempt of the same operation created it
  const stored = written.done ? written.item : written.current;
  if (!stored) return problem('conflict');
  // of entries that were created at the same time none stays beyond the limit
  const entries = await listWhitelistEntries(companyId, input.profile_id, { consistent: true });
  if (entries.length <= maxWhitelistEntries) return toWhitelistRecord(stored);
  await deleteWhitelistEntry(companyId, entry.id);
  return full;
};

export const deleteVerificationWhitelist = async (companyId: number, id: string): Promise<boolean> => {
  const found = (await listWhitelistEntries(companyId)).find((each) => whitelistEntryUuid(each) === id);
  if (found) await deleteWhitelistEntry(companyId, found.id);
  return found !== undefined;
};

/** A value as the rules compare it. */
const valueSchemas = {
  ip: network,
  domain: domain.toLowerCase(),
  country: country.toUpperCase(),
  identifier: z.string().transform((value, context) => {
    const identifier = parseIdentifier(value);
    if (!identifier) context.addIssue('Must be a phone number or an email address.');
    return identifier?.value ?? '';
  }),
} satisfies Record<WhitelistInput['kind'], z.ZodType<string>>;

const whitelistEntryUuid = ({ id }: StoredWhitelistEntry): string => id.slice(id.indexOf('#') + 1);

const toWhitelistRecord = (entry: StoredWhitelistEntry): WhitelistRecord => ({
  id: whitelistEntryUuid(entry),
  profile_id: entry.profileId,
  kind: entry.valueKind,
  value: entry.value,
  expires_at: entry.expiresAt === undefined ? null : isoTime(entry.expiresAt),
  created_at: isoTime(entry.createdAt),
});
