import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import type { Finding } from '../../messaging/contract/finding.ts';
import { inspectNumber, probeWebhookUrl } from '../../messaging/service/inspect-number.ts';
import { sendBlockOf } from '../../account/contract/number-state.ts';
import { type BusinessNumber, listBusinessNumbers } from '../../account/service/numbers.ts';

/** Checks a number: what the provider states of it, its setup there, and whether its webhook URLs are this product's. Changes nothing. */
export const checkNumber = async (companyId: number, id: number): Promise<Finding[] | Problem<'not_found'>> => {
  const number = (await listBusinessNumbers(companyId)).find((each) => each.id === id);
  return number ? checkBusinessNumber(number) : problem('not_found');
};

/** As checkNumber, for a number that was read already. */
export const checkBusinessNumber = async (number: BusinessNumber): Promise<Finding[]> => {
  const { findings, webhookUrls } = await inspectNumber(number);
  const probed = await Promise.all(webhookUrls.map(probeWebhookUrl));
  return [...inactive(number), ...restricted(number), ...findings, ...probed];
};

const inactive = ({ status }: BusinessNumber): Finding[] =>
  status === 'active'
    ? []
    : [{ level: 'doubtful', message: 'The number is inactive and sends nothing.', remedy: 'Set its status to active.' }];

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
