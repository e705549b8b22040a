import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentedIds } from '../support/documented.ts';
import { apiCollection, type CollectionFolder } from '../../lib/generate/collection.ts';
import { app } from '../../functions/app.ts';

/** What the collections for Postman and Bruno hold, beside that they run: test/integrations/collections.test.ts. */
const collection = apiCollection(app);
const requestsIn = ({ folders, requests }: CollectionFolder): CollectionFolder['requests'] => [...folders.flatMap(requestsIn), ...requests];
const requests = collection.folders.flatMap(requestsIn);
const files = ['postman/switchboard.postman_collection.json', 'bruno/switchboard.opencollection.json'].map((name) =>
  readFileSync(join(import.meta.dirname, '../../integrations', name), 'utf8'),
);

describe('the collections', () => {
  it('have each operation of the document, and an example of each answer that has one', () => {
    expect(new Set(requests.map(({ operationId }) => operationId))).toEqual(new Set(documentedIds));
    expect(requests.filter(({ answer }) => answer).length).toBeGreaterThan(240);
  });

  it('send a fresh Idempotency-Key with each write, and no fixed one', () => {
    const writes = requests.filter(({ takesKey }) => takesKey).length;
    expect(writes).toBeGreaterThan(140);
    for (const file of files) {
      // an example repeats the request that it answers
      const [keys, fresh] = [/"Idempotency-Key"/g, /"Idempotency-Key", "value": "\{\{\$randomUUID\}\}"/g].map(
        (each) => file.match(each)?.length ?? 0,
      );
      expect(fresh).toBe(keys);
      expect(keys).toBeGreaterThanOrEqual(writes);
    }
  });

  it('use no variable that they do not declare, and store none that no request uses', () => {
    const declared = new Set(collection.variables.map(({ name }) => name));
    const used = new Set(
      [...JSON.stringify(requests).matchAll(/\{\{([a-z_]+)\}\}/g)]
        .map(([, name]) => name)
        .concat('base_url', 'token', 'erp_token', 'public_key'),
    );
    expect([...used].filter((name) => !declared.has(name ?? ''))).toEqual([]);
    const stored = requests.flatMap(({ stores }) => stores?.variable ?? []);
    expect(stored.length).toBeGreaterThan(25);
    expect(stored.filter((name) => !used.has(name))).toEqual([]);
  });

  it('have what deletes or revokes in the last folder alone, and no secret', () => {
    const [last, ...others] = collection.folders.toReversed().map(requestsIn);
    const ends = /^(delete|revoke(?!Trust)|erase|signOut|deactivate)/;
    expect(last?.filter(({ operationId }) => ends.test(operationId)).length).toBeGreaterThan(25);
    expect(others.flat().filter(({ operationId }) => ends.test(operationId))).toEqual([]);
    for (const file of files) expect(file.match(/\b(swb|erp|whk|sk|whsec)_[A-Za-z0-9]{8,}/g)).toBeNull();
  });

  it('have no two requests of one name in a folder, since Bruno names files by them', () => {
    const namesTwice = ({ folders, requests: own, name }: CollectionFolder): string[] => [
      ...own.filter((one, nth) => own.findIndex((other) => other.name === one.name) !== nth).map((each) => `${name}: ${each.name}`),
      ...folders.flatMap(namesTwice),
    ];
    expect(collection.folders.flatMap(namesTwice)).toEqual([]);
  });
});
