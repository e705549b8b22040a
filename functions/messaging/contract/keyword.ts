import * as z from 'zod';
import { text } from '../../../shared/contract/fields.ts';

const keywordList = z
  .array(text(100, 1), { error: 'Must be a list of texts.' })
  .max(200, { error: 'Must have at most 200 words.' })
  .nullable();

/** A company's words of consent (A52), ext. Null: the usual words of the most spoken languages, or the usual answer. */
export const keywordSettings = z.object({
  stop: keywordList,
  start: keywordList,
  stop_reply: text(1_000).nullable().meta({ description: 'What is answered to a stop; empty: nothing' }),
  start_reply: text(1_000).nullable().meta({ description: 'What is answered to a start; empty: nothing' }),
});
export type KeywordSettings = z.output<typeof keywordSettings>;

/** What is not given stays as it is. */
export const keywordChanges = keywordSettings.partial();
export type KeywordChanges = z.output<typeof keywordChanges>;
