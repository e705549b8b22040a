import { isoTime } from '../../../shared/runtime/clock.ts';
import type { NumberState } from '../contract/number-state.ts';

/** What the provider states of a number, as the API shows it. */
export const toNumberState = ({
  quality,
  messagingLimit,
  accountState,
  accountReview,
  nameStatus,
  restrictions = [],
  health,
}: NumberState) => ({
  quality,
  messaging_limit: messagingLimit ?? null,
  account_state: accountState ?? null,
  account_review: accountReview ?? null,
  name_status: nameStatus ?? null,
  restrictions: restrictions.map(({ type, until }) => ({ type, expires_at: until === undefined ? null : isoTime(until) })),
  health: health
    ? { can_send: health.canSend, reasons: health.reasons.map(({ of, code, text, fix }) => ({ of, code: code ?? null, text, fix })) }
    : null,
});
