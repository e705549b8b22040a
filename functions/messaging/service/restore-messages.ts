import type { JournaledChange } from '../../../shared/contract/journal.ts';
import { restoreItems } from '../../../shared/table/restored-item.ts';
import { listKnownContactIds, raiseContactIds } from '../../contacts/service/contact-ids.ts';

/**
 * Messages that were sent, changed or removed since the backup: their rows are the claims, so none is sent again. A message to a contact whom the
 * restored table does not know stays away, and so does the contact's id.
 */
export const restoreMessages = async (changes: readonly JournaledChange[]): Promise<number> => {
  let count = 0;
  for (const [companyId, ofCompany] of Map.groupBy(changes, ({ key }) => Number(key.pk.split('#')[1]))) {
    const ids = ofCompany.flatMap(({ image }) => (image ? [Number(image['contactId'])] : []));
    if (ids.length > 0) await raiseContactIds(companyId, Math.max(...ids));
    const known = await listKnownContactIds(companyId, [...new Set(ids)]);
    count += await restoreItems(ofCompany.filter(({ image }) => !image || known.has(Number(image['contactId']))));
  }
  return count;
};
