import { erasureStep, sliceOf, type ErasureStep } from '../../shared/contract/erasure.ts';
import { isContactLeft, removeContact } from './service/erase-contact.ts';
import { consentsOf, phoneCheckOf } from './service/erase-evidence.ts';
import { exportFilesToErase, importFilesToErase } from './service/erase-import-files.ts';
import { snapshotLinesOf } from './service/search-snapshots.ts';

/** The contact first, so that nothing new is sent to it or filed under it. */
export const erasure: readonly ErasureStep[] = [
  {
    name: 'contacts',
    ends: ['contact', 'contact-identity', 'contact-digest'],
    find: async (subject) => sliceOf((await isContactLeft(subject)) ? [() => removeContact(subject)] : []),
  },
  erasureStep({ name: 'consents', ends: ['consent', 'consent-change'] }, consentsOf),
  erasureStep({ name: 'phone_checks', ends: ['reachability'] }, phoneCheckOf),
  erasureStep({ name: 'search_lines', ends: [] }, snapshotLinesOf),
  { name: 'import_files', ends: [], find: importFilesToErase },
  { name: 'export_files', ends: [], find: exportFilesToErase },
];
