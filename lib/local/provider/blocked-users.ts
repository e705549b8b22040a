/** `/{PHONE_ID}/block_users`: whom a number has blocked. Only who wrote to it in the last 24 hours can be blocked. */
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import type { Answer } from './answer.ts';
import { plainError, refuse, refuseParameter } from './errors.ts';
import { phoneDigits } from './identifiers.ts';
import type { Ledger } from './ledger.ts';
import { refuseIssue } from './refusals.ts';
import type { BusinessNumber } from './registry.ts';
import type { Users } from './users.ts';
import { digitsOf } from './webhooks.ts';

const mostInRequest = 1_000;
const mostBlocked = 64_000;

const blockRequest = z.looseObject({
  messaging_product: z.literal('whatsapp'),
  block_users: z.array(z.looseObject({ user: z.string().optional(), user_id: z.string().optional() })).min(1),
});

export function openBlockedUsers(database: DatabaseSync, ledger: Ledger, users: Users) {
  database.exec(
    'CREATE TABLE IF NOT EXISTS blocked_users (phone_number_id TEXT, user TEXT, PRIMARY KEY (phone_number_id, user)) WITHOUT ROWID',
  );
  const insert = database.prepare('INSERT OR IGNORE INTO blocked_users (phone_number_id, user) VALUES (?, ?)');
  const remove = database.prepare('DELETE FROM blocked_users WHERE phone_number_id = ? AND user = ?');
  const find = database.prepare('SELECT 1 AS is_blocked FROM blocked_users WHERE phone_number_id = ? AND user = ?');
  const count = database.prepare('SELECT count(*) AS blocked FROM blocked_users WHERE phone_number_id = ?');
  const page = database.prepare('SELECT user FROM blocked_users WHERE phone_number_id = ? AND user > ? ORDER BY user LIMIT ?');

  /** A user is blocked under each name that a message may be addressed to. */
  const isBlocked = (number: BusinessNumber, user: string): boolean =>
    [user, ...(phoneDigits(user) === undefined ? [] : [users.idOf(number, user)])].some(
      (name) => find.get(number.phone_number_id, name) !== undefined,
    );

  function complaintOf(number: BusinessNumber, user: string | undefined, now: number): { message: string; code: number } | undefined {
    const id = number.phone_number_id;
    if (user === digitsOf(number)) return { code: 131021, message: 'Failed to block self phone number' };
    if (user === undefined || !ledger.isWindowOpen(id, user, now)) return { code: 131047, message: 'Re-engagement required' };
    return Number(count.get(id)?.blocked) >= mostBlocked ? { code: 139101, message: 'Blocklist limit reached' } : undefined;
  }

  function change(number: BusinessNumber, body: unknown, blocks: boolean): Answer {
    const parsed = blockRequest.safeParse(body);
    if (!parsed.success) return refuseIssue(body, parsed.error);
    const wanted = parsed.data.block_users;
    if (wanted.length > mostInRequest) return refuse(130429);
    // the id of a parent account names no single user
    if (wanted.some(({ user_id: id }) => id?.includes('.ENT.'))) return refuse(131009, 'Parameter value is not valid: user_id');
    const changed: Record<string, string>[] = [];
    const failed: Record<string, unknown>[] = [];
    for (const { user: phone, user_id: scoped } of wanted) {
      const input = phone ?? scoped ?? '';
      const user = phone === undefined ? scoped : phoneDigits(phone);
      const complaint = blocks ? complaintOf(number, user, Date.now()) : undefined;
      if (complaint || user === undefined) {
        const { code, message } = complaint ?? { code: 131047, message: 'Re-engagement required' };
        failed.push({ input, errors: [{ message, code, error_data: { details: message } }] });
        continue;
      }
      (blocks ? insert : remove).run(number.phone_number_id, user);
      changed.push({ input, ...(phone === undefined ? { user_id: user } : { wa_id: user }) });
    }
    const lists = { [blocks ? 'added_users' : 'removed_users']: changed, ...(failed.length > 0 && { failed_users: failed }) };
    const answer = { messaging_product: 'whatsapp', block_users: lists };
    if (failed.length === 0) return { status: 200, body: answer };
    const { status, body: refusal } = plainError(400, {
      message: '(#139100) Failed to block/unblock users',
      type: 'OAuthException',
      code: 139100,
      error_data: { details: 'Failed to block some users, see the block_users response list for details' },
    });
    return { status, body: { ...answer, ...refusal } };
  }

  return {
    isBlocked,
    block: (number: BusinessNumber, body: unknown): Answer => change(number, body, true),
    unblock: (number: BusinessNumber, body: unknown): Answer => change(number, body, false),
    list(number: BusinessNumber, query: URLSearchParams): Answer {
      const limit = Number(query.get('limit') ?? 100);
      if (!(limit >= 1)) return refuseParameter('Param limit must be a positive number.');
      const users = page.all(number.phone_number_id, query.get('after') ?? '', limit).map(({ user }) => String(user));
      const [first, last] = [users[0], users.at(-1)];
      return {
        status: 200,
        body: {
          data: [{ block_users: users.map((wa_id) => ({ messaging_product: 'whatsapp', wa_id })) }],
          ...(last !== undefined && { paging: { cursors: { after: last, before: first } } }),
        },
      };
    },
  };
}
export type BlockedUsers = ReturnType<typeof openBlockedUsers>;
