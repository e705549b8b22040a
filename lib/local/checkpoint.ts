import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from './data-folder.ts';
import { type Json, type JsonObject, listOf, numberOf, objectOf, parseJson, textOf } from './json.ts';

/** How far a function has read one shard of a table's change stream. */
export interface ShardProgress {
  /** As the function sees it; another one after each rotation. */
  shardId: string;
  /** The last sequence number that is done with. */
  sequence: number;
  /** Records read under this id. */
  records: number;
  /** The tumbling window's state, as the function returned it last. */
  window?: StreamWindow | undefined;
}

/** An open tumbling window: its start, epoch ms, and the state carried from batch to batch. */
export interface StreamWindow {
  start: number;
  state: JsonObject;
}

/** How far a function has read a table's change stream, by shard; survives the process being killed. */
export interface Checkpoint {
  /** None: the stream is read from its beginning. */
  shards(): readonly ShardProgress[];
  /** Durable before it returns. */
  save(shards: readonly ShardProgress[]): void;
}

/** @param label names the stream: a table that was created anew starts from its beginning */
export const openCheckpoint = (folder: string, functionName: string, label: string): Checkpoint => {
  const file = join(folder, `stream-${functionName}.json`);
  const stored = existsSync(file) ? objectOf(parseJson(readFileSync(file, 'utf8'))) : {};
  let shards = textOf(stored.label) === label ? storedShards(stored) : [];
  let written = '';
  return {
    shards: () => shards,
    save: (next) => {
      shards = next.map((each) => ({ ...each }));
      const content = JSON.stringify({ label, shards });
      // replacing a file waits for the disk
      if (content !== written) writeFileAtomically(file, content);
      written = content;
    },
  };
};

/** Folders of before 2026-11-23 name one shard's sequence number in place of a list. */
const storedShards = ({ shards, ...single }: JsonObject): ShardProgress[] =>
  (shards === undefined ? [single] : listOf(shards)).map(progressOf);

const progressOf = (value: Json): ShardProgress => {
  const { shardId, sequence, records, window } = objectOf(value);
  return { shardId: textOf(shardId) ?? '', sequence: numberOf(sequence) ?? 0, records: numberOf(records) ?? 0, window: windowOf(window) };
};

const windowOf = (value: Json | undefined): StreamWindow | undefined => {
  const { start, state } = objectOf(value);
  return typeof start === 'number' ? { start, state: objectOf(state) } : undefined;
};
