import * as z from 'zod';

/** One thing for each role. */
export const byRole = <S extends z.ZodType>(value: S) => z.object({ owner: value, admin: value, member: value, viewer: value });
const addressed = z.object({ url: z.string() });
const signed = addressed.extend({ secret: z.string() });

/** Receivers that have a signing secret. */
export const signedReceivers = ['storeplatform', 'webshop', 'logistics', 'checkout'] as const;

/** DIR/demo.json. Keys that another hand added to it are kept. */
export const demoFile = z.looseObject({
  base_url: z.string(),
  companies: z.array(
    z.looseObject({
      id: z.int(),
      name: z.string(),
      /** It has content, and the sign-in page offers it first. */
      is_example: z.literal(true).optional(),
      tokens: byRole(z.string()),
      users: byRole(z.int()),
      messaging: z.looseObject({
        phone_number: z.string(),
        phone_number_id: z.string(),
        waba_id: z.string(),
        webhook_url: z.string(),
        verify_token: z.string(),
        app_secret: z.string(),
      }),
      shop: z.looseObject({
        erp_token: z.string(),
        receivers: z.looseObject({
          storeplatform: signed,
          webshop: signed,
          custom: addressed,
          logistics: signed,
          checkout: signed,
          test: addressed,
        }),
      }),
      verification: z.looseObject({ profile_id: z.string(), public_key: z.string(), secret_key: z.string() }),
    }),
  ),
  local: z.looseObject({ provider_url: z.string(), control_url: z.string() }),
});

export type Demo = z.output<typeof demoFile>;
