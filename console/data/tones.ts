let context: AudioContext | undefined;

/** Two short soft tones: made here, so no file is loaded. */
export const play = (): void => {
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
