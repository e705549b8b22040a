import { useMemo, useSyncExternalStore } from 'react';
import { api, type Input, SwitchboardProblem } from './client.ts';
import type { Conversation } from '../../client/client.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { keyOf, queryClient, read, refresh } from './queries.ts';
import type { StoredTexts } from './stored.ts';
import type { StoredFiles } from './stored-files.ts';
import { uploadFile } from './uploads.ts';

type Fields<N extends 'sendText' | 'sendList' | 'sendInteractive'> = Extract<Input<N>['body'], { message?: unknown }>;
type PlaceFields = Extract<Input<'sendLocation'>['body'], { contact_id?: unknown }>;

/** What is sent: a text, perhaps with a file or buttons; a list to choose from; a request; or a place. */
export type Sending =
  | { operation: 'sendText'; fields: Fields<'sendText'> }
  | { operation: 'sendList'; fields: Fields<'sendList'> }
  | { operation: 'sendInteractive'; fields: Fields<'sendInteractive'> }
  | { operation: 'sendLocation'; fields: PlaceFields };

/** A message that a user sends: shown at once, and until the thread has it. */
export interface Outgoing {
  /** Its Idempotency-Key: every try has it, so that it is one message. */
  key: string;
  conversationId: number;
  createdAt: string;
  text: string;
  /** Of a file, also where the browser no longer has it. */
  filename?: string;
  file?: File;
  /** The file, once it is uploaded. */
  mediaId?: string;
  /** How much of the file is uploaded, from 0 to 1. */
  uploaded?: number;
  sending: Sending;
  state: 'sending' | 'failed';
  error?: unknown;
  /** Once the API has accepted it. */
  messageId?: number;
}

/** Sends a message, and says how far its file is; its id. */
export type Deliver = (outgoing: Outgoing, onFile: (changes: Pick<Outgoing, 'mediaId' | 'uploaded'>) => void) => Promise<number>;
/** Shows what was accepted in its thread. */
type Show = (conversationId: number) => Promise<unknown>;

/** The API knows a key for a day. A message that is older is not tried again, as it could be sent twice. */
const triedForMs = 12 * 3_600_000;
export const isTooOld = ({ createdAt }: Pick<Outgoing, 'createdAt'>, now = Date.now()): boolean => now - Date.parse(createdAt) > triedForMs;

/** Whether another try is the same message, whole: a file that the browser lost would be missing. */
export const mayTryAgain = (entry: Outgoing, now = Date.now()): boolean =>
  entry.state === 'failed' &&
  !isTooOld(entry, now) &&
  (entry.filename === undefined || entry.file !== undefined || entry.mediaId !== undefined);

/** The message that a refusal is about, where the provider refused it: the thread shows it with the reason, and no try changes that. */
const refusedMessage = (error: unknown): number | undefined => {
  if (!(error instanceof SwitchboardProblem) || error.code !== 'provider_rejected') return undefined;
  const id = error.details['message_id'];
  return typeof id === 'number' ? id : undefined;
};

const beginning = 'outbox.';

/**
 * What a user is sending. It is stored until the API has accepted it, so that neither a reload nor another tab loses it, and the messages
 * of a conversation go one after the other.
 */
export class Outbox {
  #entries: readonly Outgoing[] = [];
  readonly #observers = new Set<() => void>();
  readonly #deliver: Deliver;
  readonly #show: Show;
  readonly #stored: StoredTexts;
  readonly #files: StoredFiles;
  readonly #inTurn = oneAtATime();

  constructor(given: Deliver, show: Show, stored: StoredTexts, files: StoredFiles) {
    this.#deliver = given;
    this.#show = show;
    this.#stored = stored;
    this.#files = files;
  }

  readonly entries = (): readonly Outgoing[] => this.#entries;

  readonly subscribe = (observer: () => void): (() => void) => {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  };

  readonly send = (given: Pick<Outgoing, 'conversationId' | 'text' | 'file' | 'sending'>): void => {
    const { file } = given;
    const createdAt = new Date().toISOString();
    const named = file ? { filename: file.name } : {};
    const entry: Outgoing = { ...given, ...named, key: crypto.randomUUID(), state: 'sending', createdAt };
    if (file) void this.#files.set(beginning + entry.key, [file]);
    this.#set([...this.#entries, entry]);
    this.#store(entry);
    void this.#attempt(entry.key);
  };

  readonly retry = (key: string): void => {
    const entry = this.#find(key);
    if (!entry || !mayTryAgain(entry)) return;
    this.#update(key, { state: 'sending', error: undefined });
    void this.#attempt(key);
  };

  /** Tries again what got no answer, or one that says nothing of its outcome, now that the API answers: it may have been sent, and the key makes it one. */
  readonly retryUnanswered = (): void => {
    for (const { key, error } of this.#entries) if (isUnanswered(error)) this.retry(key);
  };

  /** Takes a message out. What failed can be put back. */
  readonly discard = (key: string): void => {
    this.#set(this.#entries.filter((each) => each.key !== key));
    this.#stored.set(beginning + key, '');
    void this.#files.set(beginning + key, []);
  };

  /** Puts a message back that was taken out. It is tried when the user says so. */
  readonly putBack = (entry: Outgoing): void => {
    const failed: Outgoing = { ...entry, state: 'failed' };
    if (entry.file) void this.#files.set(beginning + entry.key, [entry.file]);
    this.#set([...this.#entries, failed].toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)));
    this.#store(failed);
  };

  /** Shows what is stored, which another page or tab may have put there or taken out, and goes on with what was being sent. */
  readonly load = async (): Promise<void> => {
    const names = this.#stored.names(beginning);
    const isThere = ({ key, messageId }: Outgoing): boolean => messageId !== undefined || names.includes(beginning + key);
    if (!this.#entries.every(isThere)) this.#set(this.#entries.filter(isThere));
    for (const name of names) {
      const stored = parsed(this.#stored.get(name));
      if (!stored) continue;
      const known = this.#find(stored.key);
      if (known?.state === 'failed' && stored.state === 'sending') this.retry(stored.key);
      if (known) continue;
      const [file] = stored.filename === undefined ? [] : await this.#files.get(name);
      const isSending = stored.state === 'sending' && mayTryAgain({ ...stored, state: 'failed', ...(file ? { file } : {}) });
      const entry: Outgoing = { ...stored, ...(file ? { file } : {}), state: isSending ? 'sending' : 'failed' };
      if (this.#find(stored.key)) continue;
      this.#set([...this.#entries, entry].toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)));
      if (isSending) void this.#attempt(entry.key);
    }
  };

  #attempt(key: string): Promise<void> {
    const { conversationId } = this.#find(key) ?? {};
    return this.#inTurn(`switchboard.outbox.${conversationId}`, async () => {
      const entry = this.#find(key);
      if (entry?.state !== 'sending') return;
      // another tab may have sent it, tried it in vain, or taken it out, while this one waited
      const stored = parsed(this.#stored.get(beginning + key));
      if (!stored) return this.discard(key);
      if (stored.state === 'failed') return this.#update(key, { state: 'failed' });
      try {
        this.#update(key, { messageId: await this.#deliver(entry, (changes) => this.#update(key, changes)) });
      } catch (error) {
        const messageId = refusedMessage(error);
        if (messageId === undefined) return this.#update(key, { state: 'failed', error });
        this.#update(key, { messageId });
      }
      // accepted: whether its thread can be read changes nothing of that
      this.#stored.set(beginning + key, '');
      await this.#show(entry.conversationId).catch(() => undefined);
      this.discard(key);
    });
  }

  #find(key: string): Outgoing | undefined {
    return this.#entries.find((each) => each.key === key);
  }

  #update(key: string, changes: Partial<Outgoing>): void {
    this.#set(this.#entries.map((each) => (each.key === key ? { ...each, ...changes } : each)));
    const entry = this.#find(key);
    if (entry && changes.uploaded === undefined && entry.messageId === undefined) this.#store(entry);
  }

  #store({ file: _file, error: _error, uploaded: _uploaded, ...rest }: Outgoing): void {
    this.#stored.set(beginning + rest.key, JSON.stringify(rest));
  }

  #set(entries: readonly Outgoing[]): void {
    this.#entries = entries;
    for (const observer of this.#observers) observer();
  }
}

/** No error: the page was loaded anew since, and its user decides. */
const isUnanswered = (error: unknown): boolean => error !== undefined && (error instanceof SwitchboardProblem ? error.status >= 500 : true);

/** What an earlier version stored differently is not known. */
const parsed = (text: string): Outgoing | undefined => {
  try {
    const stored = JSON.parse(text) as Partial<Outgoing>;
    return stored.key !== undefined && stored.sending !== undefined && stored.createdAt !== undefined ? (stored as Outgoing) : undefined;
  } catch {
    return undefined;
  }
};

/** With the message's own key, and a file that was uploaded once: the same request, however often it is tried. */
export const deliver: Deliver = async ({ key, file, mediaId, sending }, onFile) => {
  const again = { idempotencyKey: key };
  if (sending.operation === 'sendList') return (await api.sendList({ body: sending.fields }, again)).data.message_id;
  if (sending.operation === 'sendInteractive') return (await api.sendInteractive({ body: sending.fields }, again)).data.message_id;
  if (sending.operation === 'sendLocation') return (await api.sendLocation({ body: sending.fields }, again)).data.message_id;
  const uploaded = mediaId ?? (file && (await uploadFile(file, (share) => onFile({ uploaded: share }))));
  if (uploaded !== undefined) onFile({ mediaId: uploaded });
  const fields = uploaded === undefined ? sending.fields : { ...sending.fields, media_id: uploaded };
  return (await api.sendText({ body: fields }, again)).data.message_id;
};

/** Its thread is read before the outbox lets go of it, so that it stays on the page. Who answers has read what came before. */
export const showSent: Show = async (id) => {
  const isUnread =
    (queryClient.getQueryData<{ data: Conversation }>(read('getConversation', { params: { id } }).queryKey)?.data.unread_count ?? 0) > 0;
  const thread = queryClient.invalidateQueries({ queryKey: keyOf('listConversationMessages', { params: { id } }) });
  await Promise.all([thread, refresh('listMessages')]);
  if (isUnread) await api.readConversation({ params: { id } });
  void refresh('listConversations', 'getConversation', 'getInboxCounts');
};

/** What is being sent to a conversation. */
export const useOutgoing = (outbox: Outbox, conversationId: number): readonly Outgoing[] => {
  const all = useSyncExternalStore(outbox.subscribe, outbox.entries);
  return useMemo(() => all.filter((each) => each.conversationId === conversationId), [all, conversationId]);
};
