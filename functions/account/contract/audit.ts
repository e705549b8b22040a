import * as z from 'zod';
import { text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { feedEvent } from '../../../shared/contract/logged-event.ts';
import { route } from '../../../shared/contract/route.ts';
import { projectionTarget } from '../../../shared/events/react.ts';

/** What is audited, by the name of its entity, as an entry names it. */
export const auditedKinds = {
  company: 'company',
  user: 'user',
  'credential-pointer': 'credential',
  passkey: 'passkey',
  'business-number': 'number',
  'company-app': 'app',
  'verification-profile': 'verification_profile',
  'webhook-subscriptions': 'webhook_endpoint',
  'rate-card': 'rate_card',
  'spend-account': 'spend_ceilings',
  'token-ceiling': 'token_ceiling',
} as const;
/** What an entry may be about: a contact, by the changes of its block alone. */
export const auditTargets = [...Object.values(auditedKinds), 'contact'] as const;
export type AuditedEntity = keyof typeof auditedKinds;

const changesOfAccount = Object.values(auditedKinds).flatMap((kind) => ['created', 'updated', 'deleted'].map((verb) => `${kind}.${verb}`));

/** All that the audit log has, to its readers. */
export const accountChanged = feedEvent({
  types: changesOfAccount as [string, ...string[]],
  name: 'account.changed',
  purpose: 'A setting, user, credential, number or endpoint was created, changed or deleted',
  data: z.object({ fields: z.array(z.string()).meta({ description: 'The fields that changed, as the audit log names them.' }) }),
});

export const auditEntityName = 'audit-entry';

const value = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]);
export type AuditedValue = z.output<typeof value>;

/** An entry as stored. It is written once, and never changed. */
export const storedAuditEntry = z.object({
  companyId: z.int(),
  /** Epoch milliseconds and the id of the stored change: the order of the list. */
  place: z.string(),
  at: z.int(),
  action: z.string(),
  /** What was changed, as an entry names it. */
  targetKind: z.string(),
  id: z.string(),
  by: z.looseObject({
    via: z.enum(['api', 'command_line', 'system']),
    userId: z.int().optional(),
    credentialId: z.int().optional(),
    credentialKind: z.string().optional(),
    operator: z.string().optional(),
    requestId: z.string().optional(),
  }),
  changes: z.record(z.string(), z.object({ from: value, to: value })),
  rev: z.int(),
  checkpoints: z.record(z.string(), z.string()),
});
export type StoredAuditEntry = z.output<typeof storedAuditEntry>;

export const auditTarget = projectionTarget<{ companyId: number; place: string }, Omit<StoredAuditEntry, 'rev' | 'checkpoints'>>(
  auditEntityName,
);

/** Where an entry of a stored change is listed: `nth` of the change. */
export const auditPlace = (writtenAt: number, changeId: string, nth: number): string =>
  `${String(writtenAt).padStart(15, '0')}#${changeId}#${nth}`;

export const auditEntry = z
  .object({
    id: z.string().meta({ description: 'The id of the entry.' }),
    at: timestamp.meta({ description: 'When the change was written, to the second.' }),
    action: z.string().meta({ description: 'What happened, for example user.updated or credential.created.' }),
    target: z
      .object({
        kind: z.enum(auditTargets).meta({ description: 'What was changed.' }),
        id: z.string().meta({ description: 'The id of what was changed.' }),
      })
      .meta({ description: 'The changed record.' }),
    by: z
      .object({
        via: z
          .enum(['api', 'command_line', 'system'])
          .meta({ description: 'The API, the operator at the command line, or the product itself.' }),
        user_id: z.int().nullable().meta({ description: 'The calling user, or null.' }),
        credential_id: z.int().nullable().meta({ description: 'The token of the call, or null.' }),
        credential_kind: z
          .string()
          .nullable()
          .meta({ description: 'Its kind: token, erp_token, webhook_token, public_key or secret_key; or null.' }),
        operator: z.string().nullable().meta({ description: 'The account name of the operator, or null.' }),
        request_id: z.string().nullable().meta({ description: 'The id of the request, or null.' }),
      })
      .meta({ description: 'Who made the change.' }),
    changes: z
      .record(
        z.string(),
        z.object({ from: value.meta({ description: 'The value before.' }), to: value.meta({ description: 'The value after.' }) }),
      )
      .meta({
        description:
          'The changed fields, before and after. A secret and a name are mentioned, but their values are "(secret)" and "(personal data)".',
      }),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof auditEntry>;

export const auditRoutes = {
  listAuditEntries: route({
    method: 'GET',
    path: '/api/v1/audit',
    summary: 'List audit entries',
    description:
      'Lists changes of credentials, users, roles, business numbers, verification profiles, webhook endpoints, own rates and the company itself, and contacts that were blocked or unblocked, newest first: who changed what, and when. Entries appear within seconds, and are never changed or deleted.',
    caller: { kind: 'token', scope: 'audit:read', role: 'admin' },
    query: z.object({
      limit: wholeNumber(1, 100).default(50).meta({ description: 'Entries per page.' }),
      cursor: text(2_000, 1).optional().meta({ description: 'meta.next_cursor of the page before.' }),
    }),
    answers: {
      200: z.object({
        status: z.literal('success'),
        message: z.string(),
        data: z.array(auditEntry),
        meta: z.object({ has_more: z.boolean(), next_cursor: z.string().nullable() }),
      }),
    },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
};
