/** What a client may read about numbers and business accounts, and its webhook subscription (provider reference, section 3.3). */
import { createHash, randomInt } from 'node:crypto';
import { plainError } from './errors.ts';
import type { Answer } from './answer.ts';
import { createPoster } from './poster.ts';
import type { BusinessNumber, Registry } from './registry.ts';

export function createAccounts({ registry }: { registry: Registry }) {
  const poster = createPoster();

  function describe(number: BusinessNumber): Record<string, unknown> {
    return {
      verified_name: number.verified_name,
      code_verification_status: 'VERIFIED',
      display_phone_number: number.display_phone_number,
      quality_rating: 'GREEN',
      platform_type: 'CLOUD_API',
      throughput: { level: 'STANDARD' },
      messaging_limit_tier: 'TIER_100K',
      whatsapp_business_manager_messaging_limit: 'TIER_100K',
      status: 'CONNECTED',
      name_status: 'APPROVED',
      webhook_configuration: {
        ...(number.override_url !== undefined && { whatsapp_business_account: number.override_url }),
        application: number.webhook_url,
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
        account_review_status: 'APPROVED',
        currency: 'USD',
      };
      return { status: 200, body: pick(all, fields, wabaId, ['name', 'timezone_id', 'message_template_namespace']) };
    },
    /** `GET /{WABA_ID}/subscribed_apps` */
    subscriptions(wabaId: string): Answer {
      const number = registry.numbersOf({ waba_id: wabaId })[0];
      const override = number?.override_url;
      const app = { link: 'https://www.facebook.com/games/?app_id=100000000000001', name: 'Local app', id: '100000000000001' };
      return {
        status: 200,
        body: {
          data: number?.subscribed
            ? [{ whatsapp_business_api_data: app, ...(override !== undefined && { override_callback_uri: override }) }]
            : [],
        },
      };
    },
    /** `POST /{WABA_ID}/subscribed_apps`: another callback is taken only after the handshake of section 3.1. */
    async subscribe(wabaId: string, body: unknown): Promise<Answer> {
      const wanted = typeof body === 'object' && body !== null ? body : {};
      const url = 'override_callback_uri' in wanted ? String(wanted.override_callback_uri) : undefined;
      const token = 'verify_token' in wanted ? String(wanted.verify_token) : '';
      if (url !== undefined && !(await poster.verify(url, token, String(randomInt(1e9, 2e9))))) {
        return plainError(400, {
          message: '(#2200) Callback verification failed with the following errors: HTTP Status Code or response did not match challenge.',
          type: 'OAuthException',
          code: 2200,
        });
      }
      for (const { override_url: _, ...number } of registry.numbersOf({ waba_id: wabaId })) {
        registry.saveNumber({ ...number, subscribed: true, override_url: url });
      }
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

const numberFields = ['verified_name', 'code_verification_status', 'display_phone_number', 'quality_rating'];

function pick(all: Record<string, unknown>, fields: string | null, id: string, usual = numberFields): Record<string, unknown> {
  const chosen = fields === null ? usual : fields.split(',').map((field) => field.trim());
  return { ...Object.fromEntries(chosen.filter((field) => field in all).map((field) => [field, all[field]])), id };
}
