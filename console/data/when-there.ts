import { api, SwitchboardProblem } from './client.ts';
import { keyOf, queryClient } from './queries.ts';

const mostLooks = 8;

/** Waits until a conversation is in the inbox, which it is a moment after its first message; not for longer than some seconds. */
export const whenThere = async (id: number): Promise<void> => {
  for (let look = 1; look <= mostLooks; look++) {
    try {
      // by a call of its own: one that a dialog shares ends with the dialog
      const answer = await api.getConversation({ params: { id } });
      queryClient.setQueryData(keyOf('getConversation', { params: { id } }), answer);
      return;
    } catch (error) {
      // its page says what is wrong
      if (!(error instanceof SwitchboardProblem) || error.status !== 404) return;
    }
    await new Promise((resolve) => setTimeout(resolve, look * 200));
  }
};
