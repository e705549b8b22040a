import { entityPart } from '../../shared/table/entity.ts';
import { pattern } from '../../shared/table/pattern.ts';
import { conversationKey, storedWindow, type StoredWindow } from './contract.ts';

const windowOfConversation = entityPart({ attributes: storedWindow, key: conversationKey });

export const getWindow = pattern(
  { question: 'when a contact last wrote', entity: 'conversation', by: 'GetItem', units: '0.5 RRU' },
  (companyId: number, contactId: number): Promise<StoredWindow | undefined> => windowOfConversation.get({ companyId, contactId }),
);

export const listWindows = pattern(
  { question: 'when each of several contacts last wrote', entity: 'conversation', by: 'BatchGetItem', units: '0.5 RRU a contact' },
  (companyId: number, contactIds: readonly number[]): Promise<StoredWindow[]> =>
    windowOfConversation.getMany(contactIds.map((contactId) => ({ companyId, contactId }))),
);
