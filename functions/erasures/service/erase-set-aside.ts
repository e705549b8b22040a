import type { DynamoDBRecord } from 'aws-lambda';
import type { ErasureSubject } from '../../../shared/contract/erasure.ts';
import { mentionsContact } from '../../contacts/contract/mentions.ts';
import { deleteSetAsideChange, listSetAsideChanges } from '../../change-stream/service/set-aside.ts';

/**
 * Changes about an erased contact that were set aside. They are not carried out any more; `admin recount` corrects what counts were derived
 * from them. There are few, of all companies together.
 */
export const setAsideChangesToErase = async (subject: ErasureSubject): Promise<(() => Promise<void>)[]> =>
  (await listSetAsideChanges())
    .filter(({ record }) => record !== undefined && isAbout(subject, record))
    .map(
      ({ eventId }) =>
        () =>
          deleteSetAsideChange(eventId),
    );

function isAbout(subject: ErasureSubject, record: string): boolean {
  const { NewImage, OldImage } = (JSON.parse(record) as DynamoDBRecord).dynamodb ?? {};
  const image = NewImage ?? OldImage ?? {};
  if (image['companyId']?.N !== String(subject.companyId)) return false;
  const contactId = image['kind']?.S === 'contact' ? image['id']?.N : image['contactId']?.N;
  return contactId === String(subject.contactId) || mentionsContact(record, subject);
}
