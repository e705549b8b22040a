import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { providerErrorEntry } from '../../../shared/provider/errors.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { listActiveNumbers } from '../../account/service/numbers.ts';
import type { ContactRecord } from '../../contacts/contract/contact.ts';
import type { BlockPlace, Contact } from '../../contacts/contract/stored.ts';
import { claimContactBlock, confirmContactBlock, releaseContactBlock } from '../../contacts/service/blocks.ts';
import { getContactRecord } from '../../contacts/service/contact-records.ts';
import { getRecipientIdentities } from '../../contacts/service/contacts.ts';
import { getWrittenNumbers } from '../../service-window/service.ts';
import { type BlockAnswer, notRecentCode } from '../domain/block.ts';
import { changeBlockedUsers } from '../gateway/blocked-users.ts';

type BlockProblem = Problem<'not_found' | 'conflict' | 'provider_rejected' | 'temporarily_unavailable'>;

/**
 * Blocks a contact at the provider, on each number that it wrote to within 24 hours, and stops all sending to it. The block is claimed first:
 * a call that ends between the provider's answer and our write is completed by the next one. See docs/decisions/blocked-contacts.md.
 */
export const blockContact = async (
  companyId: number,
  id: number,
): Promise<ContactRecord | BlockProblem | Problem<'contact_not_recent' | 'number_missing'>> => {
  const [numbers, user] = await Promise.all([listActiveNumbers(companyId), getRecipientIdentities(companyId, id)]);
  if (!user) return problem('not_found');
  const name = user.phone === undefined ? user.userId : `+${user.phone}`;
  const numberIds = numbers.map((number) => number.id);
  const written = await getWrittenNumbers(companyId, user.id, numberIds, now());
  const recent = name === undefined ? [] : written.map((numberId) => ({ numberId, user: name }));
  if (!user.isBlocked && numbers.length === 0) return problem('number_missing');
  if (!user.isBlocked && recent.length === 0) return problem('contact_not_recent');
  const claimed = await claimContactBlock(companyId, user.id, 'blocked', recent);
  if (claimed.outcome !== 'claimed') return unclaimed(companyId, claimed);
  const { contact, claimId, isRepeated } = claimed;
  const answers = await changeEach(companyId, 'POST', contact.block?.places ?? [], isRepeated);
  const done = answers.filter(({ answer }) => answer.outcome === 'done').map(({ place }) => place);
  const refused = answers.find(({ answer }) => answer.outcome === 'refused');
  // an earlier call may have blocked it
  if (!isRepeated && answers.every(({ answer }) => isNotDone(answer))) await releaseContactBlock(contact, claimId);
  const later = answers.find(({ answer }) => answer.outcome === 'later');
  if (later) return problem('temporarily_unavailable', { retryAfterSeconds: 5 });
  if (done.length > 0) return confirmed(contact, claimId, done);
  return refused?.answer.outcome === 'refused' ? blockProblem(refused.answer) : problem('contact_not_recent');
};

/** Takes a block back wherever it was made, and sends to the contact again. Numbers that are no more the company's are left out. */
export const unblockContact = async (companyId: number, id: number): Promise<ContactRecord | BlockProblem> => {
  const claimed = await claimContactBlock(companyId, id, 'unblocked');
  if (claimed.outcome !== 'claimed') return unclaimed(companyId, claimed);
  const { contact, claimId, isRepeated } = claimed;
  const answers = await changeEach(companyId, 'DELETE', contact.block?.places ?? [], isRepeated);
  if (answers.some(({ answer }) => answer.outcome === 'later')) return problem('temporarily_unavailable', { retryAfterSeconds: 5 });
  const refused = answers.find(({ answer }) => answer.outcome === 'refused')?.answer;
  if (refused?.outcome !== 'refused') return confirmed(contact, claimId);
  await releaseContactBlock(contact, claimId);
  return refusedProblem(refused, 'unblock');
};

async function unclaimed(
  companyId: number,
  claimed: Exclude<Awaited<ReturnType<typeof claimContactBlock>>, { outcome: 'claimed' }>,
): Promise<ContactRecord | Problem<'not_found' | 'conflict'>> {
  if (claimed.outcome === 'missing') return problem('not_found');
  if (claimed.outcome === 'unchanged') return getContactRecord(companyId, claimed.contact);
  return problem('conflict', { retryAfterSeconds: Math.max(1, Math.ceil((claimed.untilMs - now()) / 1_000)) });
}

/** A refusal of what an earlier call may have done already says nothing: it counts as done, which stops sending for a block. */
const changeEach = async (
  companyId: number,
  method: 'POST' | 'DELETE',
  places: readonly BlockPlace[],
  isRepeated: boolean,
): Promise<{ place: BlockPlace; answer: BlockAnswer }[]> => {
  const numbers = await listActiveNumbers(companyId);
  const reachable = places.flatMap((place) => {
    const number = numbers.find(({ id }) => id === place.numberId);
    return number ? [{ place, number }] : [];
  });
  return Promise.all(
    reachable.map(async ({ place, number }) => {
      const answer = await changeBlockedUsers(number, method, place.user);
      return { place, answer: isRepeated && answer.outcome === 'refused' ? { outcome: 'done' } : answer };
    }),
  );
};

const isNotDone = (answer: BlockAnswer): boolean => answer.outcome === 'refused' || (answer.outcome === 'later' && answer.isUndone);

/** The contact may have been deleted while the provider was called. */
async function confirmed(
  contact: Contact,
  claimId: string,
  places: readonly BlockPlace[] = [],
): Promise<ContactRecord | Problem<'not_found'>> {
  const after = await confirmContactBlock(contact, claimId, places);
  return after ? getContactRecord(after.companyId, after) : problem('not_found');
}

const blockProblem = (refused: BlockAnswer & { outcome: 'refused' }): Problem<'contact_not_recent' | 'provider_rejected'> =>
  refused.code === notRecentCode ? problem('contact_not_recent') : refusedProblem(refused, 'block');

function refusedProblem({ code, title }: BlockAnswer & { outcome: 'refused' }, verb: 'block' | 'unblock'): Problem<'provider_rejected'> {
  const { retryable, fix } = providerErrorEntry(code);
  return problem('provider_rejected', {
    message: `The messaging provider did not ${verb} the contact: ${title}.`,
    details: { provider_code: code, title, retryable, fix },
  });
}
