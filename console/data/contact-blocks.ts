import { toastProblem } from '../components/toasts.tsx';
import { api } from './client.ts';
import { refresh } from './queries.ts';

/** What shows whether a contact is blocked. */
const refreshBlock = (): void => void refresh('getConversation', 'getContact', 'listConversations');

export const blockContact = async (id: number, call?: { idempotencyKey: string }): Promise<void> => {
  try {
    await api.blockContact({ params: { id } }, call);
  } finally {
    refreshBlock();
  }
};

/** Calls back once the contact is unblocked. */
export const unblockContact = (id: number, onDone?: () => void): void =>
  void api.unblockContact({ params: { id } }).then(onDone, toastProblem).finally(refreshBlock);
