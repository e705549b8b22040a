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

let context: AudioContext | undefined;

/** Two short soft tones: made here, so no file is loaded. */
const play = (): void => {
  context ??= new AudioContext();
  const { currentTime: now, destination } = context;
  void context.resume();
  for (const [index, frequency] of [659, 880].entries()) {
    const at = now + index * 0.12;
    const gain = new GainNode(context, { gain: 0 });
    gain.gain.setValueAtTime(0, at);
    gain.gain.linearRampToValueAtTime(0.12, at + 0.02);
    gain.gain.exponentialRampToValueAtTime(0.001, at + 0.3);
    const tone = new OscillatorNode(context, { frequency });
    tone.connect(gain).connect(destination);
    tone.start(at);
    tone.stop(at + 0.32);
  }
};
