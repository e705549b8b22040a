import { isoTime } from '../../../shared/runtime/clock.ts';
import { type NumberState, sendBlockOf } from '../../account/contract/number-state.ts';

export interface NumberWarning {
  code: 'number_missing' | 'number_restricted' | 'sending_blocked' | 'sending_limited';
  message: string;
  fix: string;
}

/** What would hold up a campaign that starts from a number now, by what is known of it since the last webhook or daily check. */
export const numberWarnings = (
  number: Pick<NumberState, 'accountState' | 'restrictions' | 'health'> | undefined,
  nowMs: number,
): NumberWarning[] => {
  if (!number) return [{ code: 'number_missing', message: 'There is no active number to send from.', fix: 'Add or activate a number.' }];
  const { health } = number;
  const block = sendBlockOf(number, nowMs);
  const until = block?.untilMs === undefined ? '' : ` until ${isoTime(block.untilMs)}`;
  const restricted: NumberWarning[] = block
    ? [
        {
          code: 'number_restricted',
          message: `The provider restricts the number: ${block.reason}${until}.`,
          fix: 'The campaign waits for its end.',
        },
      ]
    : [];
  if (!health || health.canSend === 'AVAILABLE') return restricted;
  const isBlocked = health.canSend === 'BLOCKED';
  const code = isBlocked ? 'sending_blocked' : 'sending_limited';
  const what = `At the last daily check the provider ${isBlocked ? 'blocked' : 'limited'} sending`;
  const fix = 'See the account in the WhatsApp Manager; POST /numbers/{id}/check reads it anew.';
  const reasons = health.reasons.map(
    ({ of, text, fix: own }): NumberWarning => ({ code, message: `${what} (${of}): ${text}`, fix: own || fix }),
  );
  return [...restricted, ...(reasons.length > 0 ? reasons : [{ code, message: `${what}.`, fix } as const])];
};
