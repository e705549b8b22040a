/**
 * Who writes to businesses: each by a phone, some with a user name, behind which the phone is hidden. A user has another id for each business portfolio,
 * and another one after a change of the phone. A number is shown the phone of a user with a name only where, within 30 days, it wrote to that phone or
 * was written to from it, or where the phone is in the contact book of its portfolio.
 */
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import type { Answer } from './answer.ts';
import { refuse, refuseParameter } from './errors.ts';
import { phoneDigits, scopedUserId } from './identifiers.ts';
import type { AcceptedMessage } from './ledger.ts';
import { type BusinessNumber, portfolioOf, type Registry } from './registry.ts';

const phone = z.union([z.string(), z.number()]).transform((given, context) => {
  const digits = phoneDigits(String(given));
  if (digits === undefined) context.addIssue({ code: 'custom', message: 'must be a phone of 7 to 15 digits' });
  return digits ?? '';
});

/** `PUT /_local/provider/users`. A name that is reserved is not shown yet, and hides no phone. Null: the user has none any more. */
export const userSettings = z.object({
  phone,
  username: z
    .string()
    .regex(/^[a-z0-9._]{3,35}$/, 'must be 3 to 35 of a-z, 0-9, dot and underscore')
    .nullable(),
  reserved: z.boolean().default(false),
});

/** `POST /_local/provider/users/phone`: the user has another phone, and so another id. */
export const phoneChange = z.object({ phone, to: phone });

/** What a webhook may say of a user. */
export interface UserNames {
  phone: string | undefined;
  userId: string;
  username: string | undefined;
}

const shownForMs = 30 * 86_400_000;

export function openUsers(database: DatabaseSync, registry: Registry) {
  database.exec(`
    CREATE TABLE IF NOT EXISTS users (phone TEXT PRIMARY KEY, username TEXT NOT NULL UNIQUE, reserved INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS user_ids (user_id TEXT PRIMARY KEY, portfolio TEXT NOT NULL, phone TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS shown_phones (phone_number_id TEXT, phone TEXT, at INTEGER NOT NULL, PRIMARY KEY (phone_number_id, phone)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS book_removals (portfolio TEXT, phone TEXT, at INTEGER NOT NULL, PRIMARY KEY (portfolio, phone)) WITHOUT ROWID;
  `);
  const find = database.prepare('SELECT username, reserved FROM users WHERE phone = ?');
  const findName = database.prepare('SELECT phone FROM users WHERE username = ?');
  const all = database.prepare('SELECT phone, username, reserved FROM users ORDER BY phone');
  const put = database.prepare(
    'INSERT INTO users (phone, username, reserved) VALUES (?, ?, ?) ON CONFLICT (phone) DO UPDATE SET username = excluded.username, reserved = excluded.reserved',
  );
  const remove = database.prepare('DELETE FROM users WHERE phone = ?');
  const putId = database.prepare('INSERT OR IGNORE INTO user_ids (user_id, portfolio, phone) VALUES (?, ?, ?)');
  const findId = database.prepare('SELECT portfolio, phone FROM user_ids WHERE user_id = ?');
  const putShown = database.prepare(
    'INSERT INTO shown_phones (phone_number_id, phone, at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET at = max(at, excluded.at)',
  );
  const lastMet = database.prepare(
    `SELECT max(at) AS at FROM (SELECT max(at) AS at FROM shown_phones WHERE phone_number_id = ?1 AND phone = ?2
     UNION ALL SELECT max(at) FROM messages WHERE phone_number_id = ?1 AND recipient = ?2)`,
  );
  const putRemoval = database.prepare(
    'INSERT INTO book_removals (portfolio, phone, at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at',
  );
  const findRemoval = database.prepare('SELECT at FROM book_removals WHERE portfolio = ? AND phone = ?');
  const movePeople = database.prepare('UPDATE OR REPLACE people SET user = ? WHERE phone_number_id = ? AND user = ?');
  const isKnownTo = database.prepare('SELECT 1 AS is_known FROM people WHERE phone_number_id = ? AND user = ?');

  /** The name that others see. */
  function usernameOf(of: string): string | undefined {
    const row = find.get(of);
    return row === undefined || row['reserved'] === 1 ? undefined : String(row['username']);
  }

  const metAt = (phoneNumberId: string, of: string): number => Number(lastMet.get(phoneNumberId, of)?.['at'] ?? 0);

  function isInBook(number: BusinessNumber, of: string): boolean {
    const portfolio = portfolioOf(number);
    const removedAt = Number(findRemoval.get(portfolio, of)?.['at'] ?? 0);
    const numbers = registry.numbersOf({}).filter((each) => portfolioOf(each) === portfolio);
    return numbers.every((each) => each.contact_book) && numbers.some((each) => metAt(each.phone_number_id, of) > removedAt);
  }

  const showsPhone = (number: BusinessNumber, of: string, at: number): boolean =>
    usernameOf(of) === undefined || metAt(number.phone_number_id, of) > at - shownForMs || isInBook(number, of);

  function idOf(number: BusinessNumber, of: string): string {
    const portfolio = portfolioOf(number);
    const id = scopedUserId(portfolio, of);
    putId.run(id, portfolio, of);
    return id;
  }

  const namesOf = (number: BusinessNumber, of: string, at: number): UserNames => ({
    phone: showsPhone(number, of, at) ? of : undefined,
    userId: idOf(number, of),
    username: usernameOf(of),
  });

  return {
    usernameOf,
    namesOf,
    /** The id that a portfolio knows the user by. */
    idOf: (number: BusinessNumber, of: string): string => scopedUserId(portfolioOf(number), of),
    /** Whether an id is one of another portfolio, which nothing can be sent to. */
    isForeign: (number: BusinessNumber, userId: string): boolean => {
      const row = phoneDigits(userId) === undefined ? findId.get(userId) : undefined;
      return row !== undefined && row['portfolio'] !== portfolioOf(number);
    },
    /** A message or a call came from the phone, which the number was shown. */
    recordShown: (number: BusinessNumber, of: string, at: number): void => void putShown.run(number.phone_number_id, of, at),
    /** Of whom a status is: to a phone it names the id only in newer webhooks, or where the user has a name. */
    namesOfStatus(number: BusinessNumber, { to }: Pick<AcceptedMessage, 'to'>, at: number): UserNames | undefined {
      if (phoneDigits(to) === undefined) {
        const owner = findId.get(to)?.['phone'];
        const shown = owner === undefined ? undefined : namesOf(number, String(owner), at);
        return { phone: shown?.phone, userId: to, username: shown?.username };
      }
      const username = usernameOf(to);
      return number.webhook_version === 'v24.0' || username !== undefined
        ? { phone: to, userId: scopedUserId(portfolioOf(number), to), username }
        : undefined;
    },
    /** `DELETE /{PHONE_ID}/contact_book` */
    removeFromBook(number: BusinessNumber, query: URLSearchParams): Answer {
      const id = query.get('bsuid');
      if (query.get('messaging_product') !== 'whatsapp') return refuseParameter('The parameter messaging_product is required.');
      if (id === null) return refuseParameter('The parameter bsuid is required.');
      // the id of a parent account names no single user
      if (!/^[A-Z]{2}\.[A-Za-z0-9]{1,128}$/.test(id)) return refuse(131009, 'Parameter value is not valid: bsuid');
      const row = findId.get(id);
      const of = row?.['portfolio'] === portfolioOf(number) ? String(row['phone']) : undefined;
      const deleted = of !== undefined && isInBook(number, of);
      if (of !== undefined) putRemoval.run(portfolioOf(number), of, Date.now());
      return { status: 200, body: { messaging_product: 'whatsapp', success: true, deleted } };
    },
    /** Refused: another user has the name. */
    set({ phone: of, username, reserved }: z.output<typeof userSettings>): { field: string; message: string } | undefined {
      const owner = username === null ? undefined : findName.get(username)?.['phone'];
      if (owner !== undefined && owner !== of) return { field: 'username', message: 'is that of another user' };
      if (username === null) remove.run(of);
      else put.run(of, username, reserved ? 1 : 0);
      return undefined;
    },
    list: () =>
      all.all().map((row) => {
        const of = String(row['phone']);
        const seen = registry.numbersOf({}).map((number) => ({
          phone_number_id: number.phone_number_id,
          user_id: scopedUserId(portfolioOf(number), of),
          phone_is_shown: showsPhone(number, of, Date.now()),
          is_in_contact_book: isInBook(number, of),
        }));
        return { phone: of, username: row['username'], reserved: row['reserved'] === 1, seen_by: seen };
      }),
    /** Gives the user another phone, and returns what each number that knows the user is posted. */
    changePhone(
      { phone: from, to }: z.output<typeof phoneChange>,
      at: number,
    ): { number: BusinessNumber; message: Record<string, unknown> }[] {
      const knowing = registry.numbersOf({}).filter((number) => {
        const id = number.phone_number_id;
        return metAt(id, from) > 0 || [from, scopedUserId(portfolioOf(number), from)].some((name) => isKnownTo.get(id, name) !== undefined);
      });
      const messages = knowing.map((number) => {
        const former = namesOf(number, from, at);
        const user_id = scopedUserId(portfolioOf(number), to);
        putId.run(user_id, portfolioOf(number), to);
        const id = number.phone_number_id;
        movePeople.run(to, id, from);
        movePeople.run(user_id, id, former.userId);
        const ids = { previous_user_id: former.userId, user_id };
        const isNamed = number.webhook_version === 'v24.0' || former.username !== undefined;
        return former.phone === undefined
          ? {
              number,
              message: {
                type: 'system',
                system: { type: 'user_changed_user_id', body: `User changed from ${former.userId} to ${user_id}`, ...ids },
              },
            }
          : {
              number,
              message: {
                from,
                type: 'system',
                system: { type: 'user_changed_number', body: `User changed from ${from} to ${to}`, wa_id: to, ...(isNamed && ids) },
              },
            };
      });
      const row = find.get(from);
      remove.run(from);
      if (row) put.run(to, String(row['username']), Number(row['reserved']));
      return messages;
    },
  };
}
export type Users = ReturnType<typeof openUsers>;
