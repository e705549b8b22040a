import { erasureStep, type ErasureStep } from '../../shared/contract/erasure.ts';
import { contactBookEntriesToErase } from './service/contact-book.ts';
import { archivedUpdatesToErase, filesToErase, holdToErase, messagesToErase } from './service/erase-messages.ts';

export const erasure: readonly ErasureStep[] = [
  { name: 'files', ends: ['media-upload'], find: filesToErase },
  { name: 'messages', ends: ['message', 'parked-status'], find: messagesToErase },
  { name: 'archived_updates', ends: ['archived-update'], find: archivedUpdatesToErase },
  erasureStep({ name: 'recipient_holds', ends: ['recipient-hold'] }, holdToErase),
  erasureStep({ name: 'contact_book_entries', ends: [], isForeign: true }, contactBookEntriesToErase),
];
