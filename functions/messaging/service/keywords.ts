import { invalid, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { KeywordChanges, KeywordSettings } from '../contract/keyword.ts';
import { normalizeKeyword, type Keywords, maxKeywordWords, couldBeKeyword } from '../domain/keyword.ts';
import { getStoredKeywords, putStoredKeywords, type StoredKeywords } from '../store/keywords.ts';

/** A company's keywords, to match a text with; not read for texts that are too long. At most 0.5 RRU in five minutes. */
export const getMatchingKeywords = async (companyId: number, text: string): Promise<Keywords> => {
  if (!couldBeKeyword(text)) return { stop: undefined, start: undefined };
  const known = keywordCache.get(companyId);
  if (known && Math.abs(now() - known.readAt) < keywordCacheMs) return known.keywords;
  const stored = await getStoredKeywords(companyId);
  const keywords = { stop: stored?.stop, start: stored?.start };
  if (keywordCache.size >= 1_000) keywordCache.clear();
  keywordCache.set(companyId, { readAt: now(), keywords });
  return keywords;
};

export const getKeywords = async (companyId: number): Promise<KeywordSettings> =>
  toSettings(await getStoredKeywords(companyId, { consistent: true }));

/** Sets the given fields; workers use them within five minutes. */
export const setKeywords = async (companyId: number, changes: KeywordChanges): Promise<KeywordSettings | Problem<'validation_failed'>> => {
  for (const field of ['stop', 'start'] as const)
    for (const [index, word] of (changes[field] ?? []).entries())
      if (!couldBeKeyword(word)) return invalid(`${field}.${index}`, `Must have a letter and at most ${maxKeywordWords} words.`);
  let seen = await getStoredKeywords(companyId, { consistent: true });
  return retryOnConflict(maxConflicts, async () => {
    const written = await putStoredKeywords(withChanges(companyId, seen, changes), seen);
    if (written.done) {
      keywordCache.delete(companyId);
      return toSettings(written.item);
    }
    seen = written.current;
    return conflict;
  });
};

/** The reply to a keyword; undefined: none. 0.5 RRU. */
export const getKeywordReply = async (companyId: number, keyword: 'stop' | 'start'): Promise<string | undefined> => {
  const stored = await getStoredKeywords(companyId);
  const reply = keyword === 'stop' ? (stored?.stopReply ?? defaultReplies.stop) : (stored?.startReply ?? defaultReplies.start);
  return reply === '' ? undefined : reply;
};

/** Default replies, for a company without its own. */
export const defaultReplies = {
  stop: 'You will receive no more marketing messages from us. Reply START to receive them again.',
  start: 'You are subscribed again. Reply STOP to stop.',
} as const;

const keywordCacheMs = 300_000;
const keywordCache = processMap<number, { readAt: number; keywords: Keywords }>();

const toSettings = (stored: StoredKeywords | undefined): KeywordSettings => ({
  stop: stored?.stop ?? null,
  start: stored?.start ?? null,
  stop_reply: stored?.stopReply ?? null,
  start_reply: stored?.startReply ?? null,
});

const withChanges = (companyId: number, seen: StoredKeywords | undefined, changes: KeywordChanges): StoredKeywords => ({
  companyId,
  stop: withoutDuplicates(newValue(changes.stop, seen?.stop)),
  start: withoutDuplicates(newValue(changes.start, seen?.start)),
  stopReply: newValue(changes.stop_reply, seen?.stopReply),
  startReply: newValue(changes.start_reply, seen?.startReply),
  // raised with every change even where this clock is behind: the next write is conditional on it
  updatedAt: Math.max(now(), (seen?.updatedAt ?? 0) + 1),
});

/** Keywords that normalize to the same are one. */
const withoutDuplicates = (words: readonly string[] | undefined): string[] | undefined =>
  words && [...new Map(words.map((word) => [normalizeKeyword(word), word])).values()];

/** Undefined leaves a field as it was, null clears it. */
const newValue = <T>(given: T | null | undefined, before: T | undefined): T | undefined =>
  given === undefined ? before : (given ?? undefined);
