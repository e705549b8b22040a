import { describe, expect, test } from 'vitest';
import type { AuditEntry } from '../../client/client.ts';
import { differencesOf, isOfSession, sentenceOf, userOf } from '../../console/screens/settings/audit-words.ts';
import { en } from '../../console/text/en/settings.ts';

const auditKinds = ['company', 'contact', 'credential', 'number', 'passkey', 'user', 'verification_profile', 'webhook_endpoint'] as const;

const entryOf = (action: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  id: '1',
  at: '2026-11-27T10:00:00Z',
  action,
  target: { kind: kindOf(action), id: '55' },
  by: { via: 'api', user_id: 1, credential_id: 9, credential_kind: 'session', operator: null, request_id: 'req_1' },
  changes: {},
  ...more,
});
const kindOf = (action: string): AuditEntry['target']['kind'] => auditKinds.find((kind) => action.startsWith(kind)) ?? 'company';
const nameOf = (id: number | null): string | undefined => (id === 55 ? 'Kim' : undefined);
const say = (entry: AuditEntry): string => sentenceOf(entry, nameOf, en);
const differences = (entry: AuditEntry): string[] => differencesOf(entry, en, (ms) => new Date(ms).toISOString());

const signIn = entryOf('credential.created', {
  by: { via: 'system', user_id: null, credential_id: null, credential_kind: null, operator: null, request_id: null },
  changes: {
    kind: { from: null, to: 'session' },
    user_id: { from: null, to: 55 },
    signed_in_by: { from: null, to: 'email_code' },
    expires_at: { from: null, to: 1_795_804_623_000 },
  },
});
const signOut = entryOf('credential.updated', {
  target: { kind: 'credential', id: '9' },
  changes: { status: { from: 'active', to: 'revoked' } },
});

describe('an entry of the audit log', () => {
  test('of a sign-in names who signed in and how, and is folded away with the sign-outs', () => {
    expect(say(signIn)).toBe('Signed in by code by email');
    expect(userOf(signIn)).toBe(55);
    expect([signIn, signOut, entryOf('user.created')].map(isOfSession)).toEqual([true, true, false]);
    expect(say(signOut)).toBe('Signed out');
  });

  test('of a session that another one ended is no sign-out', () => {
    const ended = entryOf('credential.updated', { changes: { status: { from: 'active', to: 'revoked' } } });
    expect(isOfSession(ended)).toBe(false);
    expect(say(ended)).toBe('Token or session ended');
  });

  test.each([
    ['user.created', { role: { from: null, to: 'member' } }, 'Person added: Kim'],
    ['user.updated', { role: { from: 'member', to: 'admin' } }, 'Person changed: Kim'],
    ['number.created', { phone: { from: null, to: '15550100001' } }, 'Number added: 15550100001'],
    ['credential.created', { kind: { from: null, to: 'token' } }, 'Personal token added'],
    ['credential.updated', { secret: { from: '(secret)', to: '(secret)' } }, 'Token or session given a new secret'],
    ['company.updated', { timezone: { from: 'UTC', to: 'Europe/Berlin' } }, 'Company changed'],
    ['company.renamed', {}, 'Company renamed'],
    ['contact.blocked', { blocked: { from: false, to: true } }, 'Contact blocked'],
  ])('%s is a sentence', (action, changes, sentence) => {
    expect(say(entryOf(action, { changes }))).toBe(sentence);
  });

  test('says each difference by the name that the pages have for it, times as times and secrets as names alone', () => {
    const changes = {
      role: { from: 'member', to: 'admin' },
      expires_at: { from: null, to: 0 },
      secret: { from: '(secret)', to: '(secret)' },
    };
    expect(differences(entryOf('user.updated', { changes }))).toEqual([
      'Ends at the latest: (empty) → 1970-01-01T00:00:00.000Z',
      'Role: member → admin',
      'Secret',
    ]);
  });

  test('of the settings says those alone that differ', () => {
    const changes = {
      settings: {
        from: '{"strictInput":false,"taskReminderMinutes":30}',
        to: '{"strictInput":true,"taskReminderMinutes":30}',
      },
    };
    expect(differences(entryOf('company.updated', { changes }))).toEqual(['Refuse inputs with unknown names: no → yes']);
  });
});
