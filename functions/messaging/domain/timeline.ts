import { timesInOrder } from '../contract/message-times.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';

export interface MessageStep {
  step: 'accepted' | 'received' | 'scheduled' | 'claimed' | 'held' | 'sent' | 'delivered' | 'read' | 'failed' | 'edited' | 'revoked';
  atMs: number;
}

/**
 * What happened to a message, in order. The times are those of three clocks (the caller's server, the worker, the provider's whole seconds),
 * so a step that is behind the one before it is shown at the time of that one.
 */
export const timelineOf = (message: StoredMessage): MessageStep[] => {
  const { sentAt, deliveredAt, readAt, failedAt } = timesInOrder(message);
  const waitsUntil = message.status === messageStatuses.scheduled ? message.dueAt : undefined;
  const steps: [MessageStep['step'], number | undefined][] = [
    [message.inbound ? 'received' : 'accepted', message.createdAt],
    ['claimed', message.claimedAt],
    ['held', message.heldAt],
    ['sent', sentAt],
    ['delivered', deliveredAt],
    ['read', readAt],
    ['failed', failedAt],
    ['edited', message.editedAt],
    ['revoked', message.revokedAt],
    ['scheduled', waitsUntil],
  ];
  let latest = 0;
  return steps.flatMap(([step, at]) => {
    if (at === undefined) return [];
    latest = Math.max(latest, at);
    return [{ step, atMs: latest }];
  });
};
