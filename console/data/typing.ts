import { api } from './client.ts';

/** As long as the contact sees it. */
const shownMs = 25_000;

const shownAt = new Map<number, number>();

/** Shows the contact of a conversation that an answer is being written: at most once in the time that it is seen. */
export const showTyping = (conversationId: number): void => {
  const at = Date.now();
  if (at - (shownAt.get(conversationId) ?? -Infinity) < shownMs) return;
  shownAt.set(conversationId, at);
  // a courtesy: where it fails, the contact sees the answer alone
  api.sendTypingIndicator({ params: { id: conversationId } }).catch(() => undefined);
};
