import type { StoredMessage } from './stored.ts';

type Times = Pick<StoredMessage, 'sentAt' | 'deliveredAt' | 'readAt' | 'failedAt'>;

/** The provider's times are whole seconds and ours are not: a step is never shown before the one that it follows. */
export const timesInOrder = ({ sentAt, deliveredAt, readAt, failedAt, inbound }: Times & Pick<StoredMessage, 'inbound'>): Times => {
  const delivered = deliveredAt === undefined ? undefined : Math.max(deliveredAt, inbound ? 0 : (sentAt ?? 0));
  return {
    sentAt,
    deliveredAt: delivered,
    readAt: readAt === undefined ? undefined : Math.max(readAt, delivered ?? sentAt ?? 0),
    failedAt: failedAt === undefined ? undefined : Math.max(failedAt, sentAt ?? 0),
  };
};
