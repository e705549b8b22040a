import { type Consequence, message, reaction, reactionList, type StoredChange } from '../../shared/events/react.ts';
import type { NoticedKind } from '../verification/contract/notice.ts';
import { codesQueue } from '../verification/contract/work.ts';
import {
  type NoticedCredential,
  noticedCredential,
  type NoticedPasskey,
  noticedPasskey,
  type NoticedUser,
  noticedUser,
} from './contract/notice.ts';
import { changedAccess, madeCredential } from './domain/notice.ts';

type Noticed = NoticedCredential | NoticedUser | NoticedPasskey;

/** To who made it, and to whose it is. What the operator makes at the command line is the operator's. */
const notices = <T extends Noticed>({ after, changeId, writtenAt }: StoredChange<T>, made: NoticedKind | undefined): Consequence[] => {
  if (!after || made === undefined || after.by?.via !== 'api') return [];
  const { companyId, id } = after;
  const owner = 'userId' in after && typeof after.userId === 'number' ? after.userId : 0;
  const to = new Set([after.by.userId ?? 0, owner].filter((userId) => userId > 0));
  return [...to].map((userId) =>
    message(codesQueue, companyId, { kind: 'notice', company_id: companyId, user_id: userId, made, id, at: writtenAt, change: changeId }),
  );
};

/** Who steals a session or a token makes what outlasts it: the user is to see that. */
export const reactions = reactionList({ sendsTo: [codesQueue] }, [
  reaction<NoticedCredential>({ name: 'credential-pointer', parse: (raw) => noticedCredential.parse(raw) }, (change) =>
    notices(change, madeCredential(change.before, change.after)),
  ),
  reaction<NoticedUser>({ name: 'user', parse: (raw) => noticedUser.parse(raw) }, (change) =>
    notices(change, changedAccess(change.before, change.after)),
  ),
  reaction<NoticedPasskey>({ name: 'passkey', parse: (raw) => noticedPasskey.parse(raw) }, (change) =>
    notices(change, change.before ? undefined : 'passkey'),
  ),
]);
