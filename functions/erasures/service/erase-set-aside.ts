import type { DynamoDBRecord } from 'aws-lambda';
import type { ErasureSubject } from '../../../shared/contract/erasure.ts';
import { companyOfKey } from '../../../shared/table/schema.ts';
import { mentionsContact } from '../../contacts/contract/mentions.ts';
import { eraseFromDelayed } from '../../change-stream/service/delay-changes.ts';
import { deleteSetAsideChange, listSetAsideChanges } from '../../change-stream/service/set-aside.ts';

/**
 * Changes about an erased contact that were set aside, or that wait because the company's rows take no writes. They are not carried out any more;
 * `admin recount` corrects what counts were derived from them. There are few, of all companies together.
 */
export const setAsideChangesToErase = async (subject: ErasureSubject): Promise<(() => Promise<void>)[]> => {
  const setAside = (await listSetAsideChanges()).filter(
    ({ record }) => record !== undefined && isAbout(subject, JSON.parse(record) as DynamoDBRecord),
  );
  const waiting = await eraseFromDelayed(subject.companyId, (record) => isAbout(subject, record));
  return [
    ...setAside.map(
      ({ eventId }) =>
        () =>
          deleteSetAsideChange(eventId),
    ),
    ...waiting,
  ];
};

function isAbout(subject: ErasureSubject, record: DynamoDBRecord): boolean {
  const { NewImage, OldImage } = record.dynamodb ?? {};
  const image = NewImage ?? OldImage ?? {};
  if (companyOfKey(image['pk']?.S ?? '') !== subject.companyId) return false;
  // contacts are stored under short names
  const contactId = image['kind']?.S === 'contact' ? image['i']?.N : image['contactId']?.N;
  return contactId === String(subject.contactId) || mentionsContact(JSON.stringify(record), subject);
}
