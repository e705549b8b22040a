import { useCallback } from 'react';
import type { Event } from '../../client/client.ts';
import { useEvents } from './events.ts';
import { useStored } from './stored.ts';
import { ofBrowser } from './signed-in.ts';

/** Whether a sound is played with new messages of customers, in this browser: off unless it was switched on. */
export const useSound = (): [boolean, (isOn: boolean) => void] => {
  const [stored, store] = useStored(ofBrowser, 'sound');
  const set = useCallback(
    (isOn: boolean): void => {
      store(isOn ? 'on' : '');
      // at once, in the press without which a browser lets no page play
      if (isOn) play();
    },
    [store],
  );
  return [stored !== '', set];
};

/** Plays the sound with each batch of new messages of customers, while it is on. */
export const useMessageSound = (): void => {
  useEvents(
    useCallback((events: readonly Event[]): void => {
      if (ofBrowser.get('sound') !== '' && events.some(({ type }) => type === 'message.received')) play();
    }, []),
  );
};

/** Loaded with the first sound: it is off in most browsers. Without a connection there is none. */
const play = (): void =>
  void import('./tones.ts').then(
    (tones) => tones.play(),
    () => undefined,
  );
