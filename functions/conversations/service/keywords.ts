import type { Problem } from '../../../shared/contract/problems.ts';
import type { KeywordChanges, KeywordSettings } from '../../messaging/contract/keyword.ts';
import * as messaging from '../../messaging/service/keywords.ts';

/** The opt-out and opt-in keywords: messaging stores and applies them, since it reads them with each inbound message. */
export const getKeywords = (companyId: number): Promise<KeywordSettings> => messaging.getKeywords(companyId);

export const setKeywords = (companyId: number, changes: KeywordChanges): Promise<KeywordSettings | Problem<'validation_failed'>> =>
  messaging.setKeywords(companyId, changes);
