import { notRecounted, recountOfParts } from '../../shared/events/recount.ts';
import { withWhatIsGone } from './domain/usage.ts';
import { auditEntity } from './store/audit.ts';
import { usagePartEntity } from './store/usage.ts';

export const recounts = [
  // an entry is a change, which its item does not show
  notRecounted(auditEntity),
  // messages are erased and requests expire: where fewer are left than were counted, the count stays
  recountOfParts(usagePartEntity, withWhatIsGone),
];
