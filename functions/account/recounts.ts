import { notRecounted } from '../../shared/events/recount.ts';
import { auditEntity } from './store/audit.ts';

// an entry is a change, which its item does not show
export const recounts = [notRecounted(auditEntity)];
