import { randomInt, randomUUID } from 'node:crypto';
import { at, type Deployment, type DeploymentAnswer, expectThat, NotChecked, shownAnswer } from './deployment.ts';

/**
 * Contacts that the checks make and delete. Their phones are of the range that the British regulator holds free for drama
 * (+44 7700 900000 to 900999), none is taken that a contact of the company has, and none is subscribed: no campaign reaches them.
 */
export interface TestContacts {
  /** A body for createContact whose phone no contact has. */
  unusedBody: () => Promise<{ phone: string; name: string; subscribed: false }>;
  /** Remembers the contact of an unused body; its id. One that was deleted before is made again as itself: `created` is false then. */
  made: (answer: DeploymentAnswer) => number;
  /** Deletes all that were made; what could not be deleted, in words. */
  deleteAll: () => Promise<string[]>;
}

export const testContactsOf = (deployment: Deployment): TestContacts => {
  const ids = new Set<number>();
  const taken = new Set<string>();
  const unusedBody = async () => {
    for (let tries = 0; tries < 10; tries++) {
      const phone = `447700900${String(randomInt(1_000)).padStart(3, '0')}`;
      if (taken.has(phone)) continue;
      taken.add(phone);
      const found = await deployment.call({ path: `/api/v1/contacts?search=${phone}&limit=1` });
      expectThat(found.status === 200, 'contacts can be searched', shownAnswer(found));
      const rows = at(found.body, 'data');
      if (Array.isArray(rows) && rows.length === 0)
        return { phone: `+${phone}`, name: `Conformance check ${randomUUID().slice(0, 8)}`, subscribed: false } as const;
    }
    throw new NotChecked('ten random test phones (+44 7700 900...) are all taken by contacts of the company');
  };
  const made = (answer: DeploymentAnswer): number => {
    const id = at(answer.body, 'data', 'id');
    expectThat(answer.status === 200 && typeof id === 'number', 'a contact is made: 200 with data.id', shownAnswer(answer));
    ids.add(id);
    return id;
  };
  const deleteAll = async (): Promise<string[]> => {
    const left: string[] = [];
    for (const id of ids) {
      const answer = await deployment.call({ method: 'DELETE', path: `/api/v1/contacts/${id}` });
      if (answer.status > 299 && answer.status !== 404) left.push(`test contact ${id} could not be deleted: ${shownAnswer(answer)}`);
    }
    ids.clear();
    return left;
  };
  return { unusedBody, made, deleteAll };
};
