import { messageStatuses, type StoredMessage } from './stored.ts';

/** Whether the provider has accepted the message and holds it back until it knows how others take its template; no status says more yet. */
export const isHeldByProvider = ({ status, heldAt, sentAt }: Pick<StoredMessage, 'status' | 'heldAt' | 'sentAt'>): boolean =>
  heldAt !== undefined && sentAt === undefined && status === messageStatuses.sent;
