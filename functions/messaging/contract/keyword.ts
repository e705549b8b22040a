import * as z from 'zod';
import { text } from '../../../shared/contract/fields.ts';

const keywordList = (description: string) =>
  z
    .array(text(100, 1), { error: 'Must be a list of texts.' })
    .max(200, { error: 'Must have at most 200 words.' })
    .nullable()
    .meta({ description });

/** A company's opt-out and opt-in keywords. Null: the defaults in the most common languages, or the default reply. */
export const keywordSettings = z.object({
  stop: keywordList('Opt-out keywords, of up to three words each. Null: the defaults in many languages (STOP, UNSUBSCRIBE ...).'),
  start: keywordList('Opt-in keywords. Null: the defaults (START, SUBSCRIBE ...).'),
  stop_reply: text(1_000)
    .nullable()
    .meta({ description: 'The reply to an opt-out keyword; an empty text: no reply. Null: the default reply.' }),
  start_reply: text(1_000)
    .nullable()
    .meta({ description: 'The reply to an opt-in keyword; an empty text: no reply. Null: the default reply.' }),
});
export type KeywordSettings = z.output<typeof keywordSettings>;

/** Absent fields stay as they are. */
export const keywordChanges = keywordSettings.partial();
export type KeywordChanges = z.output<typeof keywordChanges>;
