import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { writeObject } from '../../../shared/objects/bucket.ts';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { gathered } from '../../../shared/runtime/gather.ts';
import { archiveBucket, archiveSetting } from '../contract/archive.ts';
import { archiveObjectsOf } from '../domain/archived-message.ts';
import type { StoredMessage } from '../contract/stored.ts';

/**
 * Writes what these messages of one company were, before they are deleted. A worker that is stopped on the way to their end writes the rest
 * again, under another name: of a row that stands twice, readers take one (`SELECT DISTINCT`). 1 PUT a month that is among them.
 */
export const archiveMessages = async (messages: readonly StoredMessage[]): Promise<void> => {
  if (messages.length > 0 && optionalSetting(archiveSetting) !== 'off') await archiveTogether(messages);
};

/** Contacts are worked on side by side: an object for each would be one of a few rows. */
const archiveTogether = gathered<readonly StoredMessage[], undefined>({ atMost: 8, withinMs: 20 }, async (parts) => {
  const byCompany = Map.groupBy(parts.flat(), ({ companyId }) => companyId);
  for (const [companyId, messages] of byCompany)
    for (const { key, text } of archiveObjectsOf(companyId, messages))
      await writeObject(archiveBucket, key, await compress(text), 'application/gzip');
  return parts.map(() => ({ status: 'fulfilled', value: undefined }));
});

const compress = promisify(gzip);
