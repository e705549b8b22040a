import { pointerEntity } from '../../functions/account/store/credential.ts';
import { companyEntity } from '../../functions/account/store/company.ts';
import { userEntity } from '../../functions/account/store/user.ts';
import { credentialEntity } from '../../shared/access/credential.ts';
import { auditPartition } from '../../shared/contract/resource.ts';
import { tenant } from '../../shared/table/schema.ts';
import { effectiveScopes } from '../../functions/account/domain/credential.ts';
import type { Books } from './fault-run.ts';

type Items = readonly Record<string, unknown>[];

/** Inconsistencies between the items of a company; empty: no operation is half done. */
export const misfits = (items: Items, books: Books): string[] => {
  // entries of the audit trail have the kind of what they are about
  const mine = items.filter(
    ({ companyId, pk }) => companyId === books.companyId && pk !== auditPartition.ofCompany(tenant(books.companyId)),
  );
  const of = (kind: string): Items => mine.filter((item) => item['kind'] === kind);
  const pointers = of(pointerEntity.name).map((item) => pointerEntity.parse(item));
  const credentials = of(credentialEntity.name).map((item) => credentialEntity.parse(item));
  const users = of(userEntity.name).map((item) => userEntity.parse(item));
  const company = companyEntity.parse(of(companyEntity.name)[0]);
  const wrong: string[] = [];
  const byHash = new Map(credentials.map((each) => [each.hash, each]));

  for (const { credentialKind, id, hash, previous, status } of pointers)
    for (const each of [hash, ...previous.map((old) => old.hash)]) {
      const held = byHash.get(each);
      if (!held) wrong.push(`${credentialKind} ${id} is listed but cannot be used`);
      else if (held.status !== status) wrong.push(`${credentialKind} ${id} is listed as ${status} and is ${held.status}`);
    }
  for (const { hash, credentialKind, id, status, userId, role, scopes, expiresAt } of credentials) {
    const pointer = pointers.find((each) => each.credentialKind === credentialKind && each.id === id);
    const isListed = pointer?.hash === hash || pointer?.previous.some((old) => old.hash === hash);
    const isAlive = status === 'active' && (expiresAt ?? Number.POSITIVE_INFINITY) > Date.now();
    if (isAlive && !isListed) wrong.push(`a secret of ${credentialKind} ${id} lives unlisted`);
    if (isAlive && !pointer) wrong.push(`${credentialKind} ${id} lives without a list's entry`);
    if (credentialKind !== 'token' || !isAlive) continue;
    const user = users.find((each) => each.id === userId);
    if (user?.status !== 'active') wrong.push(`token ${id} of somebody who left lives`);
    else if (user.role !== role || JSON.stringify(effectiveScopes(user.role, pointer?.requestedScopes)) !== JSON.stringify(scopes))
      wrong.push(`token ${id} is a ${role}'s, its person a ${user.role}`);
  }
  for (const half of pointers.filter(({ credentialKind }) => credentialKind === 'public_key')) {
    const other = pointers.find(({ credentialKind, id }) => credentialKind === 'secret_key' && id === half.id);
    if (other?.status !== half.status) wrong.push(`key ${half.id} has one half`);
  }
  const profile = of('verification-profile')[0];
  // a key whose overlap is over is refused whatever it holds, and no list names it any more
  const keys = credentials.filter(
    ({ status, subject, expiresAt }) => status === 'active' && subject === books.profileId && (expiresAt ?? Infinity) > Date.now(),
  );
  for (const { id, credentialKind, subjectStatus, subjectRevision } of keys) {
    if ((subjectStatus ?? 'active') !== profile?.['status'])
      wrong.push(`${credentialKind} ${id} takes its profile for ${subjectStatus ?? 'active'}`);
    if ((subjectRevision ?? 0) !== Number(profile?.['revision'] ?? 0))
      wrong.push(`${credentialKind} ${id} takes its profile for revision ${subjectRevision}`);
  }

  const active = users.filter(({ status }) => status === 'active');
  if (company.userCount !== active.length) wrong.push(`${company.userCount} people are counted, ${active.length} are there`);
  const emails = of('user-email').map(({ email }) => String(email));
  if (
    emails.toSorted().join() !==
    active
      .map(({ email }) => email)
      .toSorted()
      .join()
  )
    wrong.push('addresses are held by nobody, or not held');
  for (const [id, role] of books.roles) {
    const user = users.find((each) => each.id === id);
    if (user?.status === 'active' && user.role !== role) wrong.push(`person ${id} was made a ${role} and is a ${user.role}`);
  }
  for (const id of books.users) if (!active.some((each) => each.id === id)) wrong.push(`person ${id} was made and is gone`);
  return wrong;
};
