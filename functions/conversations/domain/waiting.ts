import { defined } from '../../../shared/runtime/defined.ts';
import type { StoredMessage } from '../../messaging/contract/stored.ts';
import type { StoredConversation } from '../contract/stored.ts';

/**
 * Who waits for an answer, and since when. A wait begins with a contact's message after the last answer and ends with the next message of a
 * user or a program of the company; what the product sends by itself ends none.
 */
type Waiting = Pick<StoredConversation, 'waitingSince' | 'openedAt' | 'answered'>;
type Summary = Waiting & Pick<StoredConversation, 'status'>;

/**
 * Whether the product wrote by itself: for a campaign, an order, an abandoned cart. What a call of the API sends is of its caller, who may be a
 * user.
 */
export const isAutomatic = ({ inbound, campaign, sentBy }: Pick<StoredMessage, 'inbound' | 'campaign' | 'sentBy'>): boolean =>
  !inbound && (campaign !== undefined || sentBy?.via === 'system');

/** A contact wrote: it waits from then on, unless it waits already or was answered since. */
export const beginWait = (
  { waitingSince, openedAt, answered, status }: Summary,
  { createdAt, arrivedAt = createdAt }: StoredMessage,
): Waiting => {
  const isAnswered = answered !== undefined && arrivedAt <= answered.at;
  return {
    ...defined({ waitingSince: waitingSince ?? (isAnswered ? undefined : createdAt) }),
    openedAt: status === 'open' && openedAt !== undefined ? Math.min(openedAt, createdAt) : createdAt,
  };
};

/** A message to the contact: it ends the wait that it came after. */
export const endWait = ({ waitingSince }: Summary, message: StoredMessage): Waiting => {
  if (waitingSince === undefined) return {};
  // a scheduled message answers when it is due
  const at = Math.max(message.createdAt, message.dueAt ?? 0);
  if (isAutomatic(message) || at < waitingSince) return { waitingSince };
  return { answered: { at, afterMs: at - waitingSince, ...defined({ userId: message.sentBy?.userId }) } };
};

/** Of two conversations that become one: the contact waits since the earlier of both. */
export const firstOf = (one: Waiting, other: Waiting): Waiting =>
  defined({ waitingSince: least(one.waitingSince, other.waitingSince), openedAt: least(one.openedAt, other.openedAt) });

const least = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
