/** The numbers and templates that the provider knows: read on every call, so kept in memory over their stored form. */
import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { objectId, phoneDigits } from './identifiers.ts';
import { optimizationSpec, templateComponent } from './schemas.ts';

const address = z.string().regex(/^https?:\/\//, 'must be an http(s) address');
const label = z.union([z.string().min(1), z.number()]).transform(String);

/**
 * What a registration takes. `rate`: accepted messages per sliding second, absent = no limit. An app has one secret, one URL and one list of
 * fields, whichever of its numbers is registered with them: the last one counts.
 */
export const registration = z.object({
  company_id: label,
  waba_id: label,
  phone_number_id: label,
  display_phone_number: z.string().refine((phone) => phoneDigits(phone) !== undefined, 'must be a phone of 7 to 15 digits'),
  access_token: z.string().min(1),
  app_secret: z.string().min(1),
  /** Absent: each secret of a company is that of an app of its own. */
  app_id: label.optional(),
  /** Of the app; empty: it has none yet. */
  webhook_url: z.union([address, z.literal('')]),
  verify_token: z.string().default(''),
  webhook_version: z.enum(['v19.0', 'v24.0']).default('v19.0'),
  verified_name: z.string().default('Demo business'),
  rate: z.number().int().positive().optional(),
  /** It stays in the app on a phone, which registers it. */
  is_on_biz_app: z.boolean().optional(),
  /** False: `POST /{PHONE_ID}/register` is still to come, and until then nothing can be sent. */
  registered: z.boolean().default(true),
  quality_rating: z.enum(['GREEN', 'YELLOW', 'RED', 'NA']).default('GREEN'),
  account_review_status: z.enum(['APPROVED', 'PENDING', 'REJECTED']).default('APPROVED'),
  /** Of a username once it is set: shown to users, or not yet. */
  username_status: z.enum(['approved', 'reserved']).default('reserved'),
  /** What keeps it from sending; absent: nothing. */
  health: z
    .object({
      entity_type: z.enum(['PHONE_NUMBER', 'WABA', 'BUSINESS', 'APP']),
      can_send_message: z.enum(['LIMITED', 'BLOCKED']),
      error_code: z.number().int().optional(),
      error_description: z.string().default('The account has a problem.'),
      possible_solution: z.string().default(''),
    })
    .optional(),
  /** Whose users have ids of its own; absent: that of all the company's numbers. */
  portfolio_id: label.optional(),
  /** Whether the portfolio keeps a contact book; false empties it. */
  contact_book: z.boolean().default(true),
  /** What the app is subscribed to; updates of other fields are not posted. Absent: to every field. */
  app_fields: z.array(z.string()).optional(),
});

const storedNumber = registration.extend({
  subscribed: z.boolean().default(true),
  /** The account's own webhook URL. */
  override_url: z.string().optional(),
  /** The number's own, which goes before the account's. */
  phone_override_url: z.string().optional(),
  /** Of two-step verification, once it was registered with one; and when it was registered, the last times. */
  pin: z.string().optional(),
  registered_at: z.array(z.number()).optional(),
});
export type BusinessNumber = z.infer<typeof storedNumber>;

/** The app that a number's access token belongs to. */
export const appIdOf = ({ app_id, app_secret, company_id }: Pick<BusinessNumber, 'app_id' | 'app_secret' | 'company_id'>): string => {
  if (app_id !== undefined) return app_id;
  const hash = createHash('sha256').update(`${company_id} ${app_secret}`).digest('hex');
  return `1${BigInt(`0x${hash.slice(0, 12)}`)
    .toString()
    .padStart(14, '0')
    .slice(-14)}`;
};

/** The business portfolio of a number: the ids of users are of it. */
export const portfolioOf = ({ portfolio_id, company_id }: Pick<BusinessNumber, 'portfolio_id' | 'company_id'>): string => {
  if (portfolio_id !== undefined) return portfolio_id;
  const hash = createHash('sha256').update(`portfolio ${company_id}`).digest('hex');
  return `9${BigInt(`0x${hash.slice(0, 12)}`)
    .toString()
    .padStart(14, '0')
    .slice(-14)}`;
};

const storedTemplate = z.object({
  id: z.string(),
  waba_id: z.string(),
  name: z.string(),
  language: z.string(),
  category: z.string(),
  status: z.string(),
  parameter_format: z.string(),
  components: z.array(templateComponent),
  rejected_reason: z.string().default('NONE'),
  message_send_ttl_seconds: z.number().optional(),
  optimization_spec: optimizationSpec.optional(),
  /** The category that the provider announced, until it counts; and the one before it. */
  correct_category: z.string().optional(),
  previous_category: z.string().optional(),
  created_at: z.number(),
  /** Of the contents of an approved one, which are limited. */
  edits: z.array(z.number()).default([]),
  edited_at: z.number().optional(),
});
export type Template = z.infer<typeof storedTemplate>;

/** Deleted names of approved templates stay blocked for 30 days (section 4.3). */
const nameBlockMs = 30 * 86_400_000;

export function openRegistry(database: DatabaseSync) {
  const numbers = new Map<string, BusinessNumber>();
  const templates = new Map<string, Template>();
  const byName = new Map<string, Template>();
  let tokens = new Set<string>();

  const putNumber = database.prepare('INSERT INTO numbers (id, doc) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc');
  const putTemplate = database.prepare('INSERT INTO templates (id, doc) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc');
  const dropTemplate = database.prepare('DELETE FROM templates WHERE id = ?');
  const blockName = database.prepare('INSERT OR REPLACE INTO blocked_names (waba_id, name, until) VALUES (?, ?, ?)');
  const findBlock = database.prepare('SELECT until FROM blocked_names WHERE waba_id = ? AND name = ?');

  for (const row of database.prepare('SELECT doc FROM numbers ORDER BY rowid').all()) {
    const number = storedNumber.parse(JSON.parse(String(row.doc)));
    numbers.set(number.phone_number_id, number);
  }
  tokens = new Set([...numbers.values()].map((each) => each.access_token));
  for (const row of database.prepare('SELECT doc FROM templates ORDER BY rowid').all()) {
    remember(storedTemplate.parse(JSON.parse(String(row.doc))));
  }

  function remember(template: Template): void {
    templates.set(template.id, template);
    byName.set(nameKey(template.waba_id, template.name, template.language), template);
  }

  return {
    number: (id: string) => numbers.get(id),
    isKnownToken: (token: string): boolean => tokens.has(token),
    /** In order of registration. */
    numbersOf: (match: { company_id?: string; waba_id?: string; access_token?: string; app_id?: string }): BusinessNumber[] =>
      [...numbers.values()].filter(
        (each) =>
          (match.company_id === undefined || each.company_id === match.company_id) &&
          (match.waba_id === undefined || each.waba_id === match.waba_id) &&
          (match.access_token === undefined || each.access_token === match.access_token) &&
          (match.app_id === undefined || appIdOf(each) === match.app_id),
      ),
    /** Creates or replaces. */
    saveNumber(input: z.input<typeof storedNumber>): BusinessNumber {
      const number = storedNumber.parse(input);
      putNumber.run(number.phone_number_id, JSON.stringify(number));
      numbers.set(number.phone_number_id, number);
      tokens = new Set([...numbers.values()].map((each) => each.access_token));
      return number;
    },
    template: (id: string) => templates.get(id),
    templateNamed: (wabaId: string, name: string, language: string) => byName.get(nameKey(wabaId, name, language)),
    templatesOf: (wabaId: string): Template[] => [...templates.values()].filter((each) => each.waba_id === wabaId),
    saveTemplate(input: Omit<z.input<typeof storedTemplate>, 'id' | 'created_at'> & { id?: string; created_at?: number }): Template {
      const template = storedTemplate.parse({ ...input, id: input.id ?? objectId(), created_at: input.created_at ?? Date.now() });
      putTemplate.run(template.id, JSON.stringify(template));
      remember(template);
      return template;
    },
    deleteTemplate(template: Template): void {
      dropTemplate.run(template.id);
      templates.delete(template.id);
      byName.delete(nameKey(template.waba_id, template.name, template.language));
      if (template.status === 'APPROVED') blockName.run(template.waba_id, template.name, Date.now() + nameBlockMs);
    },
    isNameBlocked(wabaId: string, name: string): boolean {
      const row = findBlock.get(wabaId, name);
      return row !== undefined && Number(row.until) > Date.now();
    },
  };
}
export type Registry = ReturnType<typeof openRegistry>;

function nameKey(wabaId: string, name: string, language: string): string {
  return `${wabaId} ${name} ${language}`;
}
