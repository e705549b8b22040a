import { useEffect, useRef, useState } from 'react';
import { api } from './client.ts';
import { pollNow } from './look.ts';
import { type Others, showViewer } from './open-conversation.ts';

type State = 'typing' | 'viewing';

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

/**
 * Shows one conversation's viewer, from when they have stayed for a moment until they leave, hide or close the page: each look for changes
 * says so (sync.ts), and the end is a call of its own.
 */
export const showPresence = (conversationId: number, state: () => State, onOthers: (others: Others) => void): NonNullable<Shown> => {
  let isShown = false;
  const isSeen = (): boolean => document.visibilityState === 'visible';
  const remove = showViewer({ conversationId, state: () => (isShown && isSeen() ? state() : undefined), onOthers });
  const show = (): void => {
    isShown = true;
    pollNow();
  };
  const leave = (): void => {
    if (!isShown) return;
    isShown = false;
    // presence is a courtesy: where it fails, the viewer is shown for half a minute more
    api.setPresence({ params: { id: conversationId }, body: { state: 'left' } }).catch(() => undefined);
  };
  const follow = (): void => (isSeen() ? show() : leave());
  const first = setTimeout(() => isSeen() && show(), stayMs);
  document.addEventListener('visibilitychange', follow);
  addEventListener('pagehide', leave);
  return {
    show: () => {
      if (isShown || state() === 'typing') show();
    },
    end: () => {
      clearTimeout(first);
      document.removeEventListener('visibilitychange', follow);
      removeEventListener('pagehide', leave);
      remove();
      leave();
    },
  };
};
