/** `/{PHONE_ID}/whatsapp_business_profile`: what customers see of a business, within the provider's limits. */
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import type { Answer } from './answer.ts';
import { refuseObject } from './errors.ts';
import { refuseIssue } from './refusals.ts';
import type { BusinessNumber } from './registry.ts';

const profile = z.object({
  about: z.string().min(1).max(139).optional(),
  address: z.string().max(256).optional(),
  description: z.string().max(512).optional(),
  email: z.string().max(128).optional(),
  websites: z.array(z.string().max(256)).max(2).optional(),
  vertical: z.string().optional(),
});
const profileRequest = profile.extend({ messaging_product: z.literal('whatsapp') });

export function openProfiles(database: DatabaseSync) {
  database.exec('CREATE TABLE IF NOT EXISTS profiles (phone_number_id TEXT PRIMARY KEY, doc TEXT NOT NULL)');
  const insert = database.prepare('INSERT OR REPLACE INTO profiles (phone_number_id, doc) VALUES (?, ?)');
  const find = database.prepare('SELECT doc FROM profiles WHERE phone_number_id = ?');
  const stored = (id: string): z.infer<typeof profile> => profile.parse(JSON.parse(String(find.get(id)?.['doc'] ?? '{}')));

  return ({ phone_number_id: id }: BusinessNumber, method: string, query: URLSearchParams, body: unknown): Answer => {
    if (method === 'GET') {
      const wanted = (query.get('fields') ?? 'about,messaging_product').split(',');
      const all: Record<string, unknown> = { about: 'Hey there! I am using WhatsApp.', ...stored(id), messaging_product: 'whatsapp' };
      return { status: 200, body: { data: [Object.fromEntries(Object.entries(all).filter(([name]) => wanted.includes(name)))] } };
    }
    if (method !== 'POST') return refuseObject(method, id);
    const parsed = profileRequest.safeParse(body);
    if (!parsed.success) return refuseIssue(body, parsed.error);
    const { messaging_product: _product, ...changes } = parsed.data;
    insert.run(id, JSON.stringify({ ...stored(id), ...changes }));
    return { status: 200, body: { success: true } };
  };
}
export type Profiles = ReturnType<typeof openProfiles>;
