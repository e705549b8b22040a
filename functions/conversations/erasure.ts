import { erasureStep, type ErasureStep } from '../../shared/contract/erasure.ts';
import { conversationToErase } from './service/erase-conversation.ts';

export const erasure: readonly ErasureStep[] = [erasureStep({ name: 'conversations', ends: ['conversation'] }, conversationToErase)];
