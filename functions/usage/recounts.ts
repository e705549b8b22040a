import { recountOfParts } from '../../shared/events/recount.ts';
import { withWhatIsGone } from './domain.ts';
import { usagePartEntity } from './store.ts';

// messages are erased and requests expire: where fewer are left than were counted, the count stays
export const recounts = [recountOfParts(usagePartEntity, withWhatIsGone)];
