import { reactionList } from '../../../shared/events/react.ts';
import { usageReaction } from '../../usage/contract/count.ts';
import { messageKind } from '../contract/stored.ts';
import { freedByMessage, usedByMessage } from '../domain/usage.ts';

export const usageReactions = reactionList({ sendsTo: [] }, [
  usageReaction(messageKind, (message) => [usedByMessage(message) ?? [], freedByMessage(message)].flat()),
]);
