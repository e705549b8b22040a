import { useCallback, useMemo } from 'react';
import type { Event } from '../../client/client.ts';
import { fromLists } from './conversations.ts';
import { conversationOf, useEvents } from './events.ts';
import { ofBrowser } from './signed-in.ts';
import { useStored } from './stored.ts';

const name = 'notify';

/** Not on every device, and on secure pages alone. */
const isOffered = (): boolean => 'Notification' in globalThis;

/** Whether the desktop says that a customer wrote while the page is not seen. Off unless it was switched on, and as far as the browser permits it. */
export const useNotifications = (): { state: 'on' | 'off' | 'refused'; set: (isOn: boolean) => void } | undefined => {
  const [stored, store] = useStored(ofBrowser, name);
  const set = useCallback(
    (isOn: boolean): void => {
      if (!isOn) return store('');
      void Notification.requestPermission().then((permission) => store(permission === 'granted' ? 'on' : 'refused'));
    },
    [store],
  );
  return useMemo(() => {
    if (!isOffered()) return undefined;
    const isOn = stored === 'on' && Notification.permission === 'granted';
    return { state: isOn ? ('on' as const) : stored === 'refused' ? ('refused' as const) : ('off' as const), set };
  }, [stored, set]);
};

/** One notification for each conversation in which a customer wrote: a newer one takes the place of the last. It says who wrote, and not what. */
export const useMessageNotifications = (title: string, onOpen: (conversationId: number) => void): void =>
  useEvents(
    useCallback(
      (events: readonly Event[]): void => {
        if (ofBrowser.get(name) !== 'on' || document.visibilityState === 'visible' || !isOffered()) return;
        const ids = new Set(events.filter(({ type }) => type === 'message.received').map(conversationOf));
        for (const id of ids) {
          if (id === undefined) continue;
          const contact = fromLists(id)?.data.contact;
          const body = contact?.name ?? (contact ? `+${contact.phone}` : '');
          const shown = new Notification(title, { body, tag: `switchboard.${id}`, icon: '/console/icon.svg' });
          shown.addEventListener('click', () => {
            globalThis.focus();
            shown.close();
            onOpen(id);
          });
        }
      },
      [title, onOpen],
    ),
  );
