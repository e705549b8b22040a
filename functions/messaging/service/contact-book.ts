import { type ErasureSubject, RemovalDelayed, userIdsOf } from '../../../shared/contract/erasure.ts';
import { log } from '../../../shared/runtime/log.ts';
import { listActiveNumbers } from '../../account/service/numbers.ts';
import { removeFromContactBook } from '../gateway/contact-book.ts';

/**
 * What the provider's contact books hold of an erased contact: a book is of a business portfolio, so each user id is removed once for each business
 * account. One that the provider refuses for good is logged and left; one that it may do later is repeated until it is done.
 */
export const contactBookEntriesToErase = async (subject: ErasureSubject): Promise<(() => Promise<void>)[]> => {
  const userIds = userIdsOf(subject);
  if (userIds.length === 0) return [];
  const numbers = await listActiveNumbers(subject.companyId);
  const ofAccounts = [...new Map(numbers.map((number) => [number.wabaId, number])).values()];
  return ofAccounts.flatMap((number) =>
    userIds.map((userId) => async () => {
      const answer = await removeFromContactBook(number, userId);
      if (answer.outcome === 'later') throw new RemovalDelayed('The provider did not remove a user from its contact book yet.');
      if (answer.outcome === 'refused')
        log.warn('The provider refused to remove a user from its contact book', {
          company_id: subject.companyId,
          code: String(answer.code),
        });
    }),
  );
};
