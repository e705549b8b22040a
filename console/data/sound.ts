import { useCallback, useEffect, useState } from 'react';
import type { Event } from '../../client/client.ts';
import { useEvents } from './events.ts';

const name = 'switchboard.sound';
const changed = 'switchboard-sound';

/** Whether a sound is played with new messages of customers, in this browser: off unless it was switched on. */
export const useSound = (): [boolean, (isOn: boolean) => void] => {
  const [isOn, setOn] = useState(() => localStorage.getItem(name) !== null);
  useEffect(() => {
    const look = (): void => setOn(localStorage.getItem(name) !== null);
    addEventListener(changed, look);
    return () => removeEventListener(changed, look);
  }, []);
  const set = useCallback((next: boolean): void => {
    if (next) localStorage.setItem(name, '1');
    else localStorage.removeItem(name);
    dispatchEvent(new globalThis.Event(changed));
    // at once, in the press without which a browser lets no page play
    if (next) play();
  }, []);
  return [isOn, set];
};

/** Plays the sound with each batch of new messages of customers, while it is on. */
export const useMessageSound = (): void => {
  useEvents(
    useCallback((events: readonly Event[]): void => {
      if (localStorage.getItem(name) !== null && events.some(({ type }) => type === 'message.received')) play();
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
