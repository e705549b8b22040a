/**
 * Embedded Signup: the provider's script, its dialog in a window of its own, and the code that the dialog gives. The script and the messages of the
 * window have the forms of https://developers.facebook.com/documentation/business-messaging/whatsapp/embedded-signup/implementation
 */
import { randomBytes, randomInt } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import type { Answer } from './answer.ts';
import type { Delivery } from './delivery.ts';
import { plainError, refuseParameter, refuseToken } from './errors.ts';
import { objectId } from './identifiers.ts';
import { appIdOf, type BusinessNumber, type Registry } from './registry.ts';
import { dialogPage, hostedPage, script } from './signup-pages.ts';

/** `PUT /_local/provider/apps`: an app with its secret, before it has numbers; with a configuration its dialog connects them. */
export const appRegistration = z.object({
  app_id: z.union([z.string().regex(/^\d+$/), z.number()]).transform(String),
  app_secret: z.string().min(1),
  configuration_id: z
    .union([z.string().regex(/^\d+$/), z.number()])
    .transform(String)
    .optional(),
});
type App = z.infer<typeof appRegistration>;

const grant = z.object({ app_id: z.string(), waba_id: z.string(), token: z.string(), at: z.number(), used: z.boolean().default(false) });
type Grant = z.infer<typeof grant>;

const chosen = z.object({
  client_id: z.string(),
  config_id: z.string(),
  /** `new`, `new-phone` for one that stays on a phone, or the id of a number that is there. */
  number: z.string().default('new'),
  outcome: z.enum(['FINISH', 'FINISH_ONLY_WABA']).default('FINISH'),
});

/** How long a code is good. */
export const codeLifeMs = 30_000;

export function openSignup(database: DatabaseSync, { registry, delivery }: { registry: Registry; delivery: Pick<Delivery, 'addChange'> }) {
  database.exec('CREATE TABLE IF NOT EXISTS apps (id TEXT PRIMARY KEY, doc TEXT NOT NULL)');
  database.exec('CREATE TABLE IF NOT EXISTS codes (code TEXT PRIMARY KEY, doc TEXT NOT NULL)');
  const putApp = database.prepare('INSERT INTO apps (id, doc) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc');
  const findApp = database.prepare('SELECT doc FROM apps WHERE id = ?');
  const putCode = database.prepare('INSERT INTO codes (code, doc) VALUES (?, ?) ON CONFLICT (code) DO UPDATE SET doc = excluded.doc');
  const findCode = database.prepare('SELECT doc FROM codes WHERE code = ?');

  const appOf = (id: string | null): App | undefined => {
    const row = id === null ? undefined : findApp.get(id);
    return row && appRegistration.parse(JSON.parse(String(row['doc'])));
  };
  const grantOf = (code: string): Grant | undefined => {
    const row = findCode.get(code);
    return row && grant.parse(JSON.parse(String(row['doc'])));
  };
  const numbersOf = (app: App): BusinessNumber[] => registry.numbersOf({ app_id: app.app_id });

  /** An account with a number, as a user makes both in the dialog. */
  function makeNumber(app: App, isOnPhone: boolean): BusinessNumber {
    const [other] = numbersOf(app);
    return registry.saveNumber({
      company_id: 'signup',
      waba_id: objectId(),
      phone_number_id: objectId(),
      display_phone_number: `1555${String(randomInt(1_000_000, 9_999_999))}`,
      access_token: `EAA${randomBytes(48).toString('hex')}`,
      app_secret: app.app_secret,
      app_id: app.app_id,
      webhook_url: other?.webhook_url ?? '',
      ...(other?.app_fields && { app_fields: other.app_fields }),
      verified_name: 'New business',
      registered: isOnPhone,
      ...(isOnPhone && { is_on_biz_app: true }),
      subscribed: false,
    });
  }

  function finish(body: unknown): Answer {
    const parsed = chosen.safeParse(body);
    const app = parsed.success ? appOf(parsed.data.client_id) : undefined;
    if (!parsed.success || !app || app.configuration_id !== parsed.data.config_id)
      return refuseParameter('The app has no such configuration.');
    const { number: choice, outcome } = parsed.data;
    const isOnPhone = choice === 'new-phone';
    const number = choice.startsWith('new') ? makeNumber(app, isOnPhone) : numbersOf(app).find(({ phone_number_id: id }) => id === choice);
    if (!number) return refuseParameter('The app has no such number.');
    const { waba_id, phone_number_id } = number;
    const code = `AQ${randomBytes(60).toString('base64url')}`;
    const token = `EAA${randomBytes(48).toString('hex')}`;
    putCode.run(code, JSON.stringify({ app_id: app.app_id, waba_id, token, at: Date.now() }));
    const event = isOnPhone ? 'FINISH_WHATSAPP_BUSINESS_APP_ONBOARDING' : outcome;
    const data = event === 'FINISH' ? { phone_number_id, waba_id } : { waba_id };
    return { status: 200, body: { code, message: { type: 'WA_EMBEDDED_SIGNUP', event, version: '4', data } } };
  }

  /** The page behind the hosted link gives no code: the account arrives by a webhook of the app, and its owner's token must serve it. */
  function finishHosted(body: unknown): Answer {
    const app = appOf(z.object({ client_id: z.string() }).safeParse(body).data?.client_id ?? null);
    if (!app) return refuseParameter('There is no such app.');
    const number = registry.saveNumber({ ...makeNumber(app, false), subscribed: true });
    const waba_info = { waba_id: number.waba_id, owner_business_id: `9${number.waba_id}` };
    delivery.addChange(number.phone_number_id, { field: 'account_update', value: { event: 'PARTNER_APP_INSTALLED', waba_info } });
    const { display_phone_number, phone_number_id, waba_id, access_token } = number;
    return { status: 200, body: { display_phone_number, phone_number_id, waba_id, access_token } };
  }

  function page(url: URL): string | undefined {
    const app = appOf(url.searchParams.get('client_id'));
    const isHosted = url.pathname.endsWith('/hosted');
    if (!app || (!isHosted && app.configuration_id !== url.searchParams.get('config_id'))) return undefined;
    if (isHosted) return hostedPage(app.app_id);
    const numbers = numbersOf(app).map(({ phone_number_id, display_phone_number, verified_name }) => ({
      id: phone_number_id,
      name: `+${display_phone_number.replace(/\D/g, '')}, ${verified_name}`,
    }));
    return dialogPage({ appId: app.app_id, configurationId: app.configuration_id ?? '', numbers });
  }

  return {
    save: (app: App): App => {
      putApp.run(app.app_id, JSON.stringify(app));
      return app;
    },
    /** Whether a token is `<app id>|<app secret>` of an app. */
    isApp: (token: string): boolean => {
      const [id = '', secret] = token.split('|');
      return appOf(id)?.app_secret === secret;
    },
    /** What a browser gets; undefined: no page of the signup. */
    browse(method: string, url: URL, body: unknown): { type: string; text: string } | Answer | undefined {
      const path = url.pathname.replace(/^\/v\d+\.\d+/, '');
      if (path === '/sdk.js') return { type: 'text/javascript', text: script(url.origin) };
      if (method === 'POST' && path === '/dialog/finish') return finish(body);
      if (method === 'POST' && path === '/dialog/hosted') return finishHosted(body);
      if (path !== '/dialog/oauth' && path !== '/dialog/hosted') return undefined;
      const text = page(url);
      return text === undefined ? refuseParameter('Invalid App ID or configuration.') : { type: 'text/html', text };
    },
    /** `GET /oauth/access_token`: once for each code, within half a minute. */
    exchange(query: URLSearchParams): Answer {
      const app = appOf(query.get('client_id'));
      if (!app || query.get('client_secret') !== app.app_secret)
        return plainError(400, { message: 'Error validating client secret.', type: 'OAuthException', code: 1 });
      const code = query.get('code') ?? '';
      const given = grantOf(code);
      if (given?.app_id !== app.app_id) return refuseCode('Invalid verification code format.');
      if (given.used) return refuseCode('This authorization code has been used.', 36_009);
      if (Date.now() > given.at + codeLifeMs) return refuseCode('This authorization code has expired.', 36_007);
      putCode.run(code, JSON.stringify({ ...given, used: true }));
      // the token of before serves no more, which a product that keeps it notices
      for (const number of registry.numbersOf({ waba_id: given.waba_id })) registry.saveNumber({ ...number, access_token: given.token });
      return { status: 200, body: { access_token: given.token, token_type: 'bearer' } };
    },
    /** `GET /debug_token`, by the app's own token `<app id>|<app secret>`. */
    inspect(token: string, query: URLSearchParams): Answer {
      const [id = '', secret] = token.split('|');
      const numbers = registry.numbersOf({ access_token: query.get('input_token') ?? '' });
      const isApp = appOf(id)?.app_secret === secret || registry.numbersOf({ app_id: id }).some((each) => each.app_secret === secret);
      if (!isApp) return refuseToken();
      const [first] = numbers;
      if (!first || appIdOf(first) !== id)
        return {
          status: 200,
          body: { data: { is_valid: false, scopes: [], error: { code: 190, message: 'Invalid OAuth access token.' } } },
        };
      const scopes = ['whatsapp_business_management', 'whatsapp_business_messaging'];
      const target_ids = [...new Set(numbers.map(({ waba_id }) => waba_id))];
      const granular_scopes = scopes.map((scope) => ({ scope, target_ids }));
      return { status: 200, body: { data: { app_id: id, type: 'SYSTEM_USER', is_valid: true, expires_at: 0, scopes, granular_scopes } } };
    },
  };
}
export type Signup = ReturnType<typeof openSignup>;

const refuseCode = (message: string, subcode?: number): Answer =>
  plainError(400, { message, type: 'OAuthException', code: 100, ...(subcode !== undefined && { error_subcode: subcode }) });
