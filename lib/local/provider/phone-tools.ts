/** `/{PHONE_ID}/username` and `/{PHONE_ID}/conversational_automation`: what a number is called and offers, within the provider's limits. */
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import type { Answer } from './answer.ts';
import { refuse, refuseObject } from './errors.ts';
import { refuseIssue } from './refusals.ts';
import { type BusinessNumber, portfolioOf, type Registry } from './registry.ts';

const usernameRequest = z.object({ username: z.string(), transfer_action: z.enum(['none', 'force_transfer']).default('none') });
const automation = z.object({
  prompts: z.array(z.string().min(1).max(80)).max(4).default([]),
  commands: z
    .array(z.object({ command_name: z.string().min(1).max(32), command_description: z.string().min(1).max(256) }))
    .max(30)
    .default([]),
});

const isWellFormed = (name: string): boolean =>
  /^[a-z0-9._]{3,35}$/.test(name) && /[a-z]/.test(name) && !/^www|^\.|\.$|\.\.|\.(com|org|net|edu|gov|mil|us|in|html)$/.test(name);

export function openPhoneTools(database: DatabaseSync, registry: Registry) {
  database.exec('CREATE TABLE IF NOT EXISTS usernames (name TEXT PRIMARY KEY, phone_number_id TEXT NOT NULL UNIQUE)');
  database.exec('CREATE TABLE IF NOT EXISTS automations (phone_number_id TEXT PRIMARY KEY, doc TEXT NOT NULL)');
  const putName = database.prepare('INSERT INTO usernames (name, phone_number_id) VALUES (?, ?)');
  const dropName = database.prepare('DELETE FROM usernames WHERE phone_number_id = ?');
  const findHolder = database.prepare('SELECT phone_number_id FROM usernames WHERE name = ?');
  const findName = database.prepare('SELECT name FROM usernames WHERE phone_number_id = ?');
  const putAutomation = database.prepare('INSERT OR REPLACE INTO automations (phone_number_id, doc) VALUES (?, ?)');
  const findAutomation = database.prepare('SELECT doc FROM automations WHERE phone_number_id = ?');

  function claim(number: BusinessNumber, body: unknown): Answer {
    const parsed = usernameRequest.safeParse(body);
    if (!parsed.success) return refuseIssue(body, parsed.error);
    const name = parsed.data.username.toLowerCase();
    if (!isWellFormed(name)) return refuse(147002);
    const holderId = String(findHolder.get(name)?.['phone_number_id'] ?? number.phone_number_id);
    if (holderId !== number.phone_number_id) {
      const holder = registry.number(holderId);
      if (holder && portfolioOf(holder) !== portfolioOf(number)) return refuse(147001);
      if (parsed.data.transfer_action === 'none') return refuse(147005);
      dropName.run(holderId);
    }
    dropName.run(number.phone_number_id);
    putName.run(name, number.phone_number_id);
    return { status: 200, body: { status: number.username_status } };
  }

  return {
    username(number: BusinessNumber, method: string, body: unknown): Answer {
      if (method === 'POST') return claim(number, body);
      if (method === 'DELETE') {
        dropName.run(number.phone_number_id);
        return { status: 200, body: { success: true } };
      }
      if (method !== 'GET') return refuseObject(method, number.phone_number_id);
      const name = findName.get(number.phone_number_id)?.['name'];
      return { status: 200, body: name === undefined ? {} : { username: name, status: number.username_status } };
    },
    setAutomation(number: BusinessNumber, body: unknown): Answer {
      const parsed = automation.safeParse(body);
      if (!parsed.success) return refuseIssue(body, parsed.error);
      putAutomation.run(number.phone_number_id, JSON.stringify(parsed.data));
      return { status: 200, body: { success: true } };
    },
    /** As the field of a number has it; undefined: nothing was set. */
    automationOf: ({ phone_number_id: id }: BusinessNumber): unknown => {
      const row = findAutomation.get(id);
      return row && { id, ...automation.parse(JSON.parse(String(row['doc']))) };
    },
  };
}
export type PhoneTools = ReturnType<typeof openPhoneTools>;
