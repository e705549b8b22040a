import { useEffect, useRef, useState } from 'react';
import { type Answer, api } from './client.ts';

type State = 'typing' | 'viewing' | 'left';
type Others = Answer<'setPresence'>['data']['others'];

/** The API shows a viewer for thirty seconds. */
const repeatMs = 12_000;
/** Who goes through the list by keys looks at a conversation once they stay. */
const stayMs = 1_000;

/**
 * Shows to colleagues that this user looks at a conversation, or writes in it, while the page is seen; and who else does.
 */
export const usePresence = (conversationId: number, isTyping: boolean): Others => {
  const [others, setOthers] = useState<Others>([]);
  const state = isTyping ? 'typing' : 'viewing';
  const current = useRef<State>(state);
  const shown = useRef<Shown>(undefined);
  useEffect(() => {
    const presence = showPresence(conversationId, () => current.current, setOthers);
    shown.current = presence;
    return () => presence.end();
  }, [conversationId]);
  useEffect(() => {
    if (current.current === state) return;
    current.current = state;
    shown.current?.show();
  }, [state]);
  return others;
};

type Shown = { show: () => void; end: () => void } | undefined;

/** Shows one conversation's viewer, from when they have stayed for a moment until they leave, hide or close the page. */
export const showPresence = (conversationId: number, state: () => State, onOthers: (others: Others) => void): NonNullable<Shown> => {
  let isShown = false;
  let isOver = false;
  const send = (sent: State): void => {
    isShown = sent !== 'left';
    // presence is a courtesy: where it fails, no viewer is shown
    api.setPresence({ params: { id: conversationId }, body: { state: sent } }).then(
      ({ data }) => isOver || onOthers(data.others),
      () => isOver || onOthers([]),
    );
  };
  const leave = (): void => {
    if (isShown) send('left');
  };
  const repeat = (): void => (document.visibilityState === 'visible' ? send(state()) : leave());
  const first = setTimeout(repeat, stayMs);
  const timer = setInterval(() => document.visibilityState === 'visible' && send(state()), repeatMs);
  document.addEventListener('visibilitychange', repeat);
  addEventListener('pagehide', leave);
  return {
    show: () => {
      if (isShown || state() === 'typing') send(state());
    },
    end: () => {
      clearTimeout(first);
      clearInterval(timer);
      document.removeEventListener('visibilitychange', repeat);
      removeEventListener('pagehide', leave);
      leave();
      isOver = true;
    },
  };
};
