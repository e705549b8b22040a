import { useEffect, useRef, useState } from 'react';
import type { Answer } from './client.ts';
import { api } from './client.ts';

type State = 'typing' | 'viewing' | 'left';
type Others = Answer<'setPresence'>['data']['others'];

/** The API shows a viewer for thirty seconds. */
const repeatMs = 12_000;

/**
 * Shows to colleagues that this user looks at a conversation, or writes in it, while the page is seen; and who else does.
 */
export const usePresence = (conversationId: number, isTyping: boolean): Others => {
  const [others, setOthers] = useState<Others>([]);
  const show = useRef<(state: State) => void>(() => undefined);
  const state = isTyping ? 'typing' : 'viewing';
  const current = useRef<State>(state);
  useEffect(() => {
    let isOver = false;
    show.current = (shown) => {
      // presence is a courtesy: where it fails, no viewer is shown
      api.setPresence({ params: { id: conversationId }, body: { state: shown } }).then(
        ({ data }) => isOver || setOthers(data.others),
        () => isOver || setOthers([]),
      );
    };
    const repeat = (): void => {
      if (document.visibilityState === 'visible') show.current(current.current);
    };
    const timer = setInterval(repeat, repeatMs);
    document.addEventListener('visibilitychange', repeat);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', repeat);
      show.current('left');
      isOver = true;
    };
  }, [conversationId]);
  useEffect(() => {
    current.current = state;
    show.current(state);
  }, [state, conversationId]);
  return others;
};
