import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from './data-folder.ts';
import { type Json, type JsonObject, numberOf, objectOf, parseJson, textOf } from './json.ts';

/** How far a function has read a table's change stream; survives the process being killed. */
export interface Checkpoint {
  /** The last sequence number that is done with. */
  sequence(): number;
  /** The tumbling window's state, as the function returned it last. */
  window(): StreamWindow | undefined;
  /** Durable before it returns. */
  save(sequence: number, window: StreamWindow | undefined): void;
}

/** An open tumbling window: its start, epoch ms, and the state carried from batch to batch. */
export interface StreamWindow {
  start: number;
  state: JsonObject;
}

/** @param label names the stream: a table that was created anew starts from its beginning */
export const openCheckpoint = (folder: string, functionName: string, label: string): Checkpoint => {
  const file = join(folder, `stream-${functionName}.json`);
  const stored = existsSync(file) ? objectOf(parseJson(readFileSync(file, 'utf8'))) : {};
  const mine = textOf(stored.label) === label;
  let sequence = mine ? (numberOf(stored.sequence) ?? 0) : 0;
  let window = mine ? windowOf(stored.window) : undefined;
  let written = '';
  return {
    sequence: () => sequence,
    window: () => window,
    save: (nextSequence, nextWindow) => {
      [sequence, window] = [nextSequence, nextWindow];
      const content = JSON.stringify({ label, sequence, ...(window ? { window } : {}) });
      // replacing a file waits for the disk
      if (content !== written) writeFileAtomically(file, content);
      written = content;
    },
  };
};

const windowOf = (value: Json | undefined): StreamWindow | undefined => {
  const { start, state } = objectOf(value);
  return typeof start === 'number' ? { start, state: objectOf(state) } : undefined;
};
