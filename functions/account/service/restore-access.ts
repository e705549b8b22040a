import type { JournaledChange } from '../../../shared/contract/journal.ts';
import { isProblem } from '../../../shared/contract/problems.ts';
import { roles } from '../../../shared/contract/route.ts';
import { Conflict } from '../../../shared/table/conflict.ts';
import { parsePointer, type Pointer, pointerIdOf, getPointer, updateCredential, updatePointerExpiry } from '../store/credential.ts';
import { parseUser, type User } from '../store/user.ts';
import { revokeCredential } from './credentials.ts';
import { deactivateUser, getUser, setRole } from './users.ts';

/** Users who were deactivated, or have less of a role, since the backup. One who was created since is not there. Returns how many changed. */
export const restoreEndedUsers = async (changes: readonly JournaledChange[]): Promise<number> => {
  let count = 0;
  for (const { image } of changes) {
    const user = image && parseUser(image);
    const present = user && (await getUser(user.companyId, user.id));
    if (!user || !present || !hasLess(user, present)) continue;
    const { companyId, id } = user;
    const written = user.status === 'inactive' ? await deactivateUser(companyId, id) : await setRole(companyId, id, user.role);
    if (isProblem(written)) throw new Conflict();
    count++;
  }
  return count;
};

const hasLess = (user: User, present: User): boolean =>
  present.status === 'active' && (user.status === 'inactive' || roles.indexOf(user.role) < roles.indexOf(present.role));

/**
 * Secrets that were revoked, or replaced by a rotation, since the backup. One that was valid beside its successor ends when it was to end. The
 * successor is not there: its caller gets a new one.
 */
export const restoreEndedCredentials = async (changes: readonly JournaledChange[]): Promise<number> => {
  let count = 0;
  for (const { key, image } of changes) {
    const present = await getPointer(pointerIdOf(key), { consistent: true });
    if (present?.status === 'active' && (await endAsIn(present, image && parsePointer(image)))) count++;
  }
  return count;
};

/** `later`: none where the credential has left the list, as an ended session does. False: nothing of it has ended. */
async function endAsIn(present: Pointer, later: Pointer | undefined): Promise<boolean> {
  const { companyId, credentialKind, id } = present;
  const valid = new Map<string, number | undefined>(
    later?.status === 'active' ? [...later.previous.map((old) => [old.hash, old.expiresAt] as const), [later.hash, undefined]] : [],
  );
  if (!valid.has(present.hash)) {
    const revoked = await revokeCredential(companyId, credentialKind, id);
    if (isProblem(revoked)) throw new Conflict();
    return true;
  }
  const expiresAt = valid.get(present.hash);
  if (expiresAt !== undefined) {
    await updatePointerExpiry(present, expiresAt);
    await updateCredential(present.hash, { set: { expiresAt } });
  }
  const ended = present.previous.filter(({ hash }) => !valid.has(hash));
  for (const { hash } of ended) await updateCredential(hash, { set: { status: 'revoked' } });
  return expiresAt !== undefined || ended.length > 0;
}
