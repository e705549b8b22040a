import { invalid, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import type { KeywordChanges, KeywordSettings } from '../contract/keyword.ts';
import { folded, type Keywords, maxKeywordWords, mayBeKeyword } from '../domain/keyword.ts';
import { getKeywords, putKeywords, type StoredKeywords } from '../store/keyword.ts';

/** The words of a company for a text; none are read for a text that is too long to be one. At most 0.5 RRU in five minutes. */
export const keywordsFor = async (companyId: number, text: string): Promise<Keywords> => {
  if (!mayBeKeyword(text)) return { stop: undefined, start: undefined };
  const known = remembered.get(companyId);
  if (known && Math.abs(now() - known.readAt) < rememberMs) return known.keywords;
  const stored = await getKeywords(companyId);
  const keywords = { stop: stored?.stop, start: stored?.start };
  if (remembered.size >= 1_000) remembered.clear();
  remembered.set(companyId, { readAt: now(), keywords });
  return keywords;
};

export const readKeywords = async (companyId: number): Promise<KeywordSettings> =>
  shown(await getKeywords(companyId, { consistent: true }));

/** What is given is set; workers take it up within five minutes. */
export const setKeywords = async (companyId: number, changes: KeywordChanges): Promise<KeywordSettings | Problem<'validation_failed'>> => {
  for (const field of ['stop', 'start'] as const)
    for (const [index, word] of (changes[field] ?? []).entries())
      if (!mayBeKeyword(word)) return invalid(`${field}.${index}`, `Must have a letter and at most ${maxKeywordWords} words.`);
  for (let seen = await getKeywords(companyId, { consistent: true }); ; ) {
    const written = await putKeywords(changed(companyId, seen, changes), seen);
    if (written.done) {
      remembered.delete(companyId);
      return shown(written.item);
    }
    seen = written.current;
  }
};

/** What is answered to a word of consent; undefined: nothing. 0.5 RRU. */
export const replyTo = async (companyId: number, keyword: 'stop' | 'start'): Promise<string | undefined> => {
  const stored = await getKeywords(companyId);
  const reply = keyword === 'stop' ? (stored?.stopReply ?? usualReplies.stop) : (stored?.startReply ?? usualReplies.start);
  return reply === '' ? undefined : reply;
};

/** The usual answers, for a company that has none of its own. */
export const usualReplies = {
  stop: 'You will receive no more messages from us. Reply START to receive them again.',
  start: 'You are subscribed again. Reply STOP to stop.',
} as const;

const rememberMs = 300_000;
const remembered = new Map<number, { readAt: number; keywords: Keywords }>();

const shown = (stored: StoredKeywords | undefined): KeywordSettings => ({
  stop: stored?.stop ?? null,
  start: stored?.start ?? null,
  stop_reply: stored?.stopReply ?? null,
  start_reply: stored?.startReply ?? null,
});

const changed = (companyId: number, seen: StoredKeywords | undefined, changes: KeywordChanges): StoredKeywords => ({
  companyId,
  stop: once(kept(changes.stop, seen?.stop)),
  start: once(kept(changes.start, seen?.start)),
  stopReply: kept(changes.stop_reply, seen?.stopReply),
  startReply: kept(changes.start_reply, seen?.startReply),
  // moves with every change, whoever's clock is behind: it guards the next one
  updatedAt: Math.max(now(), (seen?.updatedAt ?? 0) + 1),
});

/** Words that fold to the same are one. */
const once = (words: readonly string[] | undefined): string[] | undefined =>
  words && [...new Map(words.map((word) => [folded(word), word])).values()];

/** Undefined leaves what was, null clears it. */
const kept = <T>(given: T | null | undefined, before: T | undefined): T | undefined =>
  given === undefined ? before : (given ?? undefined);
