import { erasureStep, type ErasureStep } from '../../shared/contract/erasure.ts';
import { conversationToErase, notesToErase } from './service/erase-conversation.ts';

export const erasure: readonly ErasureStep[] = [
  erasureStep({ name: 'conversation_notes', ends: ['conversation-note'] }, notesToErase),
  erasureStep({ name: 'conversations', ends: ['conversation'] }, conversationToErase),
];
