import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { dayMs, isoTime, now } from '../../../shared/runtime/clock.ts';
import type { Finding } from '../../messaging/contract/finding.ts';
import { inspectNumber, probeWebhookUrl } from '../../messaging/service/inspect-number.ts';
import { sendBlockOf } from '../../account/contract/number-state.ts';
import { type BusinessNumber, listBusinessNumbers } from '../../account/service/numbers.ts';

/** Checks a number: what the provider states of it, its setup there, and whether its webhook URLs are this product's. Changes nothing. */
export const checkNumber = async (companyId: number, id: number): Promise<Finding[] | Problem<'not_found'>> => {
  const number = (await listBusinessNumbers(companyId)).find((each) => each.id === id);
  if (!number) return problem('not_found');
  const { findings, versions } = await checkBusinessNumber(number);
  return [...findings, ...versions.map(stillServed)];
};

/** As checkNumber, for a number that was read already, with what there is to say of the provider's versions beside it. */
export const checkBusinessNumber = async (number: BusinessNumber): Promise<Record<'findings' | 'versions', Finding[]>> => {
  const { findings, versions, webhookUrls } = await inspectNumber(number);
  const probed = await Promise.all(webhookUrls.map(probeWebhookUrl));
  return { findings: [...inactive(number), ...restricted(number), ...unread(number), ...findings, ...probed], versions };
};

/** A version that has ended is served by another one: the number works, and is no less ready. */
const stillServed = (finding: Finding): Finding => (finding.level === 'wrong' ? { ...finding, level: 'doubtful' } : finding);

const inactive = ({ status }: BusinessNumber): Finding[] =>
  status === 'active'
    ? []
    : [{ level: 'doubtful', message: 'The number is inactive and sends nothing.', remedy: 'Set its status to active.' }];

/** What webhooks bring is made good by a read a day, unless there is none. */
function unread({ status, isSuspended, checkedAt, createdAt }: BusinessNumber): Finding[] {
  const lastAt = checkedAt ?? createdAt;
  if (status !== 'active' || isSuspended || (checkedAt === undefined && lastAt > now() - 2 * dayMs)) return [];
  if (lastAt > now() - 2 * dayMs)
    return [{ level: 'ok', message: `The daily check last read the number from the provider at ${isoTime(lastAt)}.` }];
  const since = checkedAt === undefined ? 'has never read the number from the provider' : `last read the number at ${isoTime(checkedAt)}`;
  return [
    {
      level: 'doubtful',
      message: `The daily check ${since}: a webhook that was lost is not made good.`,
      remedy: 'numbers connect starts it; where it does not come within a day, the log of templates-syncs says why.',
    },
  ];
}

function restricted(number: BusinessNumber): Finding[] {
  const restriction = sendBlockOf(number, now());
  if (!restriction) return [];
  const until = restriction.untilMs === undefined ? '' : ` until ${isoTime(restriction.untilMs)}`;
  return [
    {
      level: 'wrong',
      message: `The provider restricts the number: ${restriction.reason}${until}.`,
      remedy: 'The quality of the account in the WhatsApp Manager; campaigns continue by themselves.',
    },
  ];
}
