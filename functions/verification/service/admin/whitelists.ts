import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { invalid, isProblem, problem, type Problem } from '../../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../../shared/runtime/clock.ts';
import { readVerificationProfile } from '../../../account/service/verification.ts';
import type { ExceptionInput, ExceptionRecord } from '../../contract/admin.ts';
import { parseIdentifier } from '../../domain/identifier.ts';
import { country, domain, network } from '../../domain/settings.ts';
import {
  exceptionId,
  findExceptions,
  insertException,
  mostExceptions,
  removeException,
  type StoredException,
} from '../../store/exception.ts';

export const listWhitelists = async (companyId: number, profileId: string | undefined): Promise<ExceptionRecord[]> =>
  (await findExceptions(companyId, profileId)).map(shown);

export const createWhitelist = async (
  companyId: number,
  input: ExceptionInput,
): Promise<ExceptionRecord | Problem<'not_found' | 'validation_failed' | 'conflict'>> => {
  const profile = await readVerificationProfile(companyId, input.profile_id);
  if (isProblem(profile)) return profile;
  const value = values[input.kind].safeParse(input.value);
  if (!value.success) return invalid('value', ...value.error.issues.map(({ message }) => message));
  if ((await findExceptions(companyId, input.profile_id)).length >= mostExceptions)
    return problem('conflict', { message: `A profile has ${mostExceptions} entries at most.` });
  const exception: StoredException = {
    companyId,
    profileId: input.profile_id,
    id: exceptionId(input.profile_id, randomUUID()),
    kind: input.kind,
    value: value.data,
    ...(input.expires_at ? { expiresAt: Date.parse(input.expires_at) } : {}),
    createdAt: now(),
  };
  const stored = await insertException(exception);
  return stored.done ? shown(stored.item) : problem('conflict');
};

export const deleteWhitelist = async (companyId: number, id: string): Promise<boolean> => {
  const found = (await findExceptions(companyId)).find((each) => uuidOf(each) === id);
  if (found) await removeException(companyId, found.id);
  return found !== undefined;
};

/** As the rules compare it. */
const values = {
  ip: network,
  domain: domain.toLowerCase(),
  country: country.toUpperCase(),
  identifier: z.string().transform((value, context) => {
    const identifier = parseIdentifier(value);
    if (!identifier) context.addIssue('Must be a phone number or an email address.');
    return identifier?.value ?? '';
  }),
} satisfies Record<ExceptionInput['kind'], z.ZodType<string>>;

const uuidOf = ({ id }: StoredException): string => id.slice(id.indexOf('#') + 1);

const shown = (exception: StoredException): ExceptionRecord => ({
  id: uuidOf(exception),
  profile_id: exception.profileId,
  kind: exception.kind,
  value: exception.value,
  expires_at: exception.expiresAt === undefined ? null : isoTime(exception.expiresAt),
  created_at: isoTime(exception.createdAt),
});
