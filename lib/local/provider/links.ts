/** `/{PHONE_ID}/message_qrdls`: short links to a number, each with a text to send and a QR code. */
import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import type { Answer } from './answer.ts';
import { refuseObject, refuseParameter } from './errors.ts';
import type { BusinessNumber } from './registry.ts';

const mostLinks = 2_000;
const mostCharacters = 140;

const linkRequest = z.looseObject({
  prefilled_message: z.string().min(1).max(mostCharacters),
  code: z.string().optional(),
  generate_qr_image: z.enum(['SVG', 'PNG']).optional(),
});

export function openLinks(database: DatabaseSync) {
  database.exec(
    'CREATE TABLE IF NOT EXISTS links (phone_number_id TEXT, code TEXT, message TEXT NOT NULL, PRIMARY KEY (phone_number_id, code)) WITHOUT ROWID',
  );
  const insert = database.prepare('INSERT OR REPLACE INTO links (phone_number_id, code, message) VALUES (?, ?, ?)');
  const remove = database.prepare('DELETE FROM links WHERE phone_number_id = ? AND code = ?');
  const find = database.prepare('SELECT code, message FROM links WHERE phone_number_id = ? AND code = ?');
  const count = database.prepare('SELECT count(*) AS links FROM links WHERE phone_number_id = ?');
  const page = database.prepare('SELECT code, message FROM links WHERE phone_number_id = ? AND code > ? ORDER BY code LIMIT ?');

  const shown = (row: Record<string, unknown>, withImage: boolean): Record<string, unknown> => ({
    code: row['code'],
    prefilled_message: row['message'],
    deep_link_url: `https://wa.me/message/${String(row['code'])}`,
    ...(withImage && { qr_image_url: `https://scontent.example/qr/${String(row['code'])}` }),
  });

  function list(id: string, query: URLSearchParams): Answer {
    const limit = Number(query.get('limit') ?? 25);
    const rows = page.all(id, query.get('after') ?? '', limit + 1);
    const first = rows.slice(0, limit);
    const after = String(first.at(-1)?.['code'] ?? '');
    const withImage = (query.get('fields') ?? '').includes('qr_image_url');
    return {
      status: 200,
      body: {
        data: first.map((row) => shown(row, withImage)),
        paging: { cursors: { after }, ...(rows.length > limit && { next: `?after=${after}` }) },
      },
    };
  }

  function save(id: string, body: unknown): Answer {
    const parsed = linkRequest.safeParse(body);
    if (!parsed.success) return refuseParameter(`Param prefilled_message must be a string of 1 to ${mostCharacters} characters.`);
    const { prefilled_message: message, code: given, generate_qr_image: image } = parsed.data;
    if (given !== undefined && !find.get(id, given)) return refuseObject('POST', given);
    if (given === undefined && Number(count.get(id)?.['links']) >= mostLinks)
      return refuseParameter('The phone number has too many QR codes.');
    const code = given ?? randomBytes(9).toString('hex').slice(0, 14).toUpperCase();
    insert.run(id, code, message);
    return { status: 200, body: shown({ code, message }, image !== undefined) };
  }

  /** `code`: the last part of the path, if there is one. */
  return (number: BusinessNumber, method: string, code: string | undefined, query: URLSearchParams, body: unknown): Answer => {
    const id = number.phone_number_id;
    if (code === undefined) return method === 'GET' ? list(id, query) : method === 'POST' ? save(id, body) : refuseObject(method, id);
    const known = find.get(id, code);
    if (!known || (method !== 'GET' && method !== 'DELETE')) return refuseObject(method, code);
    if (method === 'GET') return { status: 200, body: { data: [shown(known, false)] } };
    remove.run(id, code);
    return { status: 200, body: { success: true } };
  };
}
export type Links = ReturnType<typeof openLinks>;
