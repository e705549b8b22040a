/** What a client may read about numbers and business accounts, and its webhook subscription. */
import { createHash, randomInt } from 'node:crypto';
import * as z from 'zod';
import { plainError, refuse, refuseParameter } from './errors.ts';
import type { Answer } from './answer.ts';
import type { Billing } from './billing.ts';
import type { Faults } from './faults.ts';
import type { PhoneTools } from './phone-tools.ts';
import { createPoster } from './poster.ts';
import { accountFields } from './fields.ts';
import { appIdOf, type BusinessNumber, portfolioOf, type Registry } from './registry.ts';

/** Registrations of a number in 72 hours. */
const mostRegistrations = 10;
const registrationsMs = 72 * 3_600_000;

export function createAccounts({
  billing,
  registry,
  faults,
  tools,
}: {
  billing: Billing;
  registry: Registry;
  faults: Faults;
  tools: Pick<PhoneTools, 'automationOf'>;
}) {
  const poster = createPoster();

  function describe(number: BusinessNumber): Record<string, unknown> {
    return {
      verified_name: number.verified_name,
      code_verification_status: 'VERIFIED',
      display_phone_number: number.display_phone_number,
      quality_rating: number.quality_rating,
      platform_type: 'CLOUD_API',
      is_on_biz_app: number.is_on_biz_app ?? false,
      throughput: { level: 'STANDARD' },
      messaging_limit_tier: 'TIER_100K',
      whatsapp_business_manager_messaging_limit: 'TIER_100K',
      status: number.registered ? 'CONNECTED' : 'PENDING',
      name_status: 'APPROVED',
      health_status: healthOf(number),
      ...(tools.automationOf(number) !== undefined && { conversational_automation: tools.automationOf(number) }),
      webhook_configuration: {
        ...(number.phone_override_url !== undefined && { phone_number: number.phone_override_url }),
        ...(number.override_url !== undefined && { whatsapp_business_account: number.override_url }),
        ...(number.webhook_url !== '' && { application: number.webhook_url }),
      },
    };
  }

  return {
    /** `GET /{PHONE_ID}?fields=...` */
    number: (number: BusinessNumber, fields: string | null): Answer => ({
      status: 200,
      body: pick(describe(number), fields, number.phone_number_id),
    }),
    /** `GET /{WABA_ID}/phone_numbers` */
    numbers(wabaId: string, fields: string | null): Answer {
      const data = registry.numbersOf({ waba_id: wabaId }).map((number) => pick(describe(number), fields, number.phone_number_id));
      const cursor = Buffer.from(wabaId).toString('base64url');
      return { status: 200, body: { data, paging: { cursors: { before: cursor, after: cursor } } } };
    },
    /** `GET /{WABA_ID}?fields=...` */
    account(wabaId: string, fields: string | null): Answer {
      const hash = createHash('md5').update(wabaId).digest('hex');
      const namespace = [hash.slice(0, 8), hash.slice(8, 12), hash.slice(12, 16), hash.slice(16, 20), hash.slice(20)].join('_');
      const all = {
        name: 'Demo account',
        timezone_id: '1',
        message_template_namespace: namespace,
        account_review_status: registry.numbersOf({ waba_id: wabaId })[0]?.account_review_status,
        health_status: healthOf(registry.numbersOf({ waba_id: wabaId })[0]),
        currency: billing.settings().currency,
      };
      return { status: 200, body: pick(all, fields, wabaId, ['name', 'timezone_id', 'message_template_namespace']) };
    },
    /** `GET /{WABA_ID}/subscribed_apps` */
    subscriptions(wabaId: string): Answer {
      const number = registry.numbersOf({ waba_id: wabaId })[0];
      const override = number?.override_url;
      if (!number?.subscribed) return { status: 200, body: { data: [] } };
      const id = appIdOf(number);
      const app = { link: `https://www.facebook.com/games/?app_id=${id}`, name: 'Local app', id };
      return {
        status: 200,
        body: { data: [{ whatsapp_business_api_data: app, ...(override !== undefined && { override_callback_uri: override }) }] },
      };
    },
    /** `POST /{WABA_ID}/subscribed_apps`: another callback is taken only after the handshake of section 3.1; without one the former is removed. */
    async subscribe(wabaId: string, body: unknown): Promise<Answer> {
      const wanted = typeof body === 'object' && body !== null ? body : {};
      const url = 'override_callback_uri' in wanted ? String(wanted.override_callback_uri) : undefined;
      const token = 'verify_token' in wanted ? String(wanted.verify_token) : '';
      if (url !== undefined && !(await poster.verify(url, token, String(randomInt(1e9, 2e9))))) {
        return refuseCallback();
      }
      for (const { override_url: _, ...number } of registry.numbersOf({ waba_id: wabaId })) {
        registry.saveNumber({ ...number, subscribed: true, override_url: url });
      }
      return { status: 200, body: { success: true } };
    },
    /** `POST /{PHONE_ID}`: the number's own callback, which is taken only after the handshake; an empty one removes it. */
    async configure(number: BusinessNumber, body: unknown): Promise<Answer> {
      const wanted = phoneConfiguration.safeParse(body);
      if (!wanted.success) return refuseParameter('Param webhook_configuration must have override_callback_uri and verify_token.');
      const { override_callback_uri: url, verify_token: token } = wanted.data.webhook_configuration;
      if (url !== '' && !(await poster.verify(url, token, String(randomInt(1e9, 2e9))))) return refuseCallback();
      registry.saveNumber({ ...number, phone_override_url: url === '' ? undefined : url });
      return { status: 200, body: { success: true } };
    },
    /** `POST /{PHONE_ID}/register`: with the PIN of two-step verification, which is set by it. */
    register(number: BusinessNumber, body: unknown): Answer {
      const pin = typeof body === 'object' && body !== null && 'pin' in body ? String(body.pin) : '';
      if (!/^\d{6}$/.test(pin)) return refuseParameter('Param pin must be a string of six digits.');
      if (number.is_on_biz_app) return refuseParameter('The phone number is registered by the app on its phone.');
      if (number.pin !== undefined && number.pin !== pin) return refuse(133005);
      const lately = (number.registered_at ?? []).filter((at) => at > Date.now() - registrationsMs);
      if (lately.length >= mostRegistrations) return refuse(133016);
      registry.saveNumber({ ...number, registered: true, pin, registered_at: [...lately, Date.now()] });
      return { status: 200, body: { success: true } };
    },
    /** The numbers of the app with a token `<app id>|<app secret>`. */
    appOf: (id: string, token: string): BusinessNumber[] =>
      registry.numbersOf({ app_id: id }).filter(({ app_secret }) => token === `${id}|${app_secret}`),
    /** `GET /app`: the app that issued an access token. */
    app: (token: string): Answer => {
      const [number] = registry.numbersOf({ access_token: token });
      return { status: 200, body: { id: number && appIdOf(number), name: 'Simulated app' } };
    },
    /** `GET /{APP_ID}/subscriptions`: the URL of the app and the fields that are posted. */
    appSubscriptions(numbers: readonly BusinessNumber[]): Answer {
      const [number] = numbers;
      const fields = (number?.app_fields ?? accountFields).map((name) => ({ name, version: number?.webhook_version ?? 'v19.0' }));
      const subscription = { object: 'whatsapp_business_account', callback_url: number?.webhook_url, active: true, fields };
      return { status: 200, body: { data: fields.length === 0 || number?.webhook_url === '' ? [] : [subscription] } };
    },
    /** `POST /{APP_ID}/subscriptions`: takes the place of what the app was subscribed to, after the handshake. */
    async subscribeApp(numbers: readonly BusinessNumber[], body: unknown): Promise<Answer> {
      const wanted = appSubscription.safeParse(body);
      if (!wanted.success) return refuseParameter('Params object, callback_url, fields and verify_token are required.');
      const { callback_url, fields, verify_token } = wanted.data;
      const unknown = fields.find((field) => !accountFields.includes(field));
      if (unknown !== undefined && faults.refusesUnknownFields())
        return refuseParameter(`Param fields[${fields.indexOf(unknown)}] must be one of {${accountFields.join(', ')}}.`);
      if (!(await poster.verify(callback_url, verify_token, String(randomInt(1e9, 2e9))))) return refuseCallback();
      for (const number of numbers)
        registry.saveNumber({ ...number, webhook_url: callback_url, app_fields: fields.filter((field) => accountFields.includes(field)) });
      return { status: 200, body: { success: true } };
    },
    /** `DELETE /{WABA_ID}/subscribed_apps`: no webhooks from then on. */
    unsubscribe(wabaId: string): Answer {
      for (const number of registry.numbersOf({ waba_id: wabaId })) registry.saveNumber({ ...number, subscribed: false });
      return { status: 200, body: { success: true } };
    },
    stop: (): void => poster.close(),
  };
}
export type Accounts = ReturnType<typeof createAccounts>;

const appSubscription = z.object({
  object: z.literal('whatsapp_business_account'),
  callback_url: z.string(),
  verify_token: z.string(),
  fields: z.string().transform((fields) => fields.split(',')),
});

const phoneConfiguration = z.object({
  webhook_configuration: z.object({ override_callback_uri: z.string(), verify_token: z.string().default('') }),
});

const refuseCallback = (): Answer =>
  plainError(400, {
    message: '(#2200) Callback verification failed with the following errors: HTTP Status Code or response did not match challenge.',
    type: 'OAuthException',
    code: 2200,
  });

/** An app that is not subscribed to the account learns nothing of its messages, which its own entry says. */
function healthOf(number: BusinessNumber | undefined): Record<string, unknown> | undefined {
  if (!number) return undefined;
  const { health, waba_id: wabaId, phone_number_id: phoneNumberId } = number;
  const ids = { PHONE_NUMBER: phoneNumberId, WABA: wabaId, BUSINESS: portfolioOf(number), APP: appIdOf(number) };
  const entities = Object.entries(ids).map(([type, id]) => {
    if (health?.entity_type === type) {
      const { can_send_message, error_code, error_description, possible_solution } = health;
      const error = { ...(error_code !== undefined && { error_code }), error_description, possible_solution };
      return { entity_type: type, id, can_send_message, errors: [error] };
    }
    return type === 'APP' && !number.subscribed
      ? {
          entity_type: type,
          id,
          can_send_message: 'LIMITED',
          additional_info: ['The app is not subscribed to the messages webhook field.'],
        }
      : { entity_type: type, id, can_send_message: 'AVAILABLE' };
  });
  const levels = entities.map(({ can_send_message: can }) => can);
  const worst = ['BLOCKED', 'LIMITED'].find((level) => levels.includes(level)) ?? 'AVAILABLE';
  return { can_send_message: worst, entities };
}

const numberFields = ['verified_name', 'code_verification_status', 'display_phone_number', 'quality_rating'];

function pick(all: Record<string, unknown>, fields: string | null, id: string, usual = numberFields): Record<string, unknown> {
  const chosen = fields === null ? usual : fields.split(',').map((field) => field.trim());
  return { ...Object.fromEntries(chosen.filter((field) => field in all).map((field) => [field, all[field]])), id };
}
