import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from '../../lib/local/data-folder.ts';
import { openCheckpoint } from '../../lib/local/checkpoint.ts';
import { openMailbox } from '../../lib/local/emails.ts';
import { openSecrets } from '../../lib/local/secrets.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-kept-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('what is kept in the data folder', () => {
  it('a secret is made once, as the template says, and only its owner may read it', () => {
    const properties = { GenerateSecretString: { SecretStringTemplate: '{"id":"k1"}', GenerateStringKey: 'key', PasswordLength: 40 } };
    const declared = [{ name: 'sealing', resource: { id: 'Secret', type: 'AWS::SecretsManager::Secret', properties, metadata: {} } }];
    const first = openSecrets(folder, declared, (value) => value).get('sealing');
    expect(JSON.parse(first ?? '')).toEqual({ id: 'k1', key: expect.stringMatching(/^[A-Za-z0-9]{40}$/) });
    expect(openSecrets(folder, declared, (value) => value).get('sealing')).toBe(first);
    expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  it('--fresh empties a folder of the product alone', () => {
    writeFileSync(join(folder, 'thesis.txt'), 'precious');
    expect(() => lockFolder(folder, true)).toThrow('is not a data folder');
    writeFileSync(join(folder, 'demo.json'), '{}');
    lockFolder(folder, true)();
    lockFolder(join(folder, 'new'), true)();
  });

  it('mails are there after a restart, without the half line of a killed process', () => {
    const simple = { Subject: { Data: 'Hi' }, Body: { Text: { Data: 'Hello' }, Html: { Data: '<p>Hello</p>' } } };
    const mail = { Destination: { ToAddresses: ['a@b.example'] }, Content: { Simple: simple } };
    openMailbox(folder).add(mail);
    appendFileSync(join(folder, 'emails.jsonl'), '{"to":"x');
    openMailbox(folder).add(mail);
    const email = { to: 'a@b.example', subject: 'Hi', text: 'Hello', html: '<p>Hello</p>', at: expect.stringMatching(/Z$/) };
    expect(openMailbox(folder).list()).toEqual([email, email]);
  });

  it('a checkpoint belongs to one stream: that of a new table starts from its beginning', () => {
    const shard = { shardId: 'shardId-1', sequence: 7, records: 3, window: { start: 1000, state: { a: 1 } } };
    openCheckpoint(folder, 'f', 'one').save([shard, { shardId: 'shardId-2', sequence: 9, records: 0 }]);
    expect(openCheckpoint(folder, 'f', 'one').shards()).toEqual([shard, { shardId: 'shardId-2', sequence: 9, records: 0 }]);
    expect(openCheckpoint(folder, 'f', 'two').shards()).toEqual([]);
  });

  it('a checkpoint of before the stream had shards is read as that of one', () => {
    writeFileSync(join(folder, 'stream-f.json'), JSON.stringify({ label: 'one', sequence: 7, window: { start: 1000, state: {} } }));
    expect(openCheckpoint(folder, 'f', 'one').shards()).toEqual([
      { shardId: '', sequence: 7, records: 0, window: { start: 1000, state: {} } },
    ]);
  });
});
