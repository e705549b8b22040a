import * as z from 'zod';

/** What the operator gives of an app that companies share. https://developers.facebook.com/docs/development/create-an-app/app-dashboard/basic-settings */
export const providerAppInput = z.object({
  app_id: z.string().regex(/^\d{5,20}$/, 'must be the digits of the app’s id'),
  app_secret: z.string().min(16).max(200),
  name: z.string().trim().min(1).max(100),
});
export type ProviderAppInput = z.input<typeof providerAppInput>;

/**
 * The configuration of "Login for Business" by which the provider's dialog connects numbers, and the link of the same that needs no script.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/embedded-signup/implementation
 */
export const providerAppSignupInput = z.object({
  app_id: providerAppInput.shape.app_id,
  configuration_id: z.string().regex(/^\d{5,20}$/, 'must be the digits of the configuration’s id'),
  hosted_url: z
    .url({ protocol: /^https?$/, error: 'must be the URL of the hosted signup' })
    .max(2_000)
    .optional(),
});
export type ProviderAppSignupInput = z.input<typeof providerAppSignupInput>;

/** The subject of the receiver of an app: the token in its URL is of no company. */
export const appSubject = (appId: string): string => `app:${appId}`;
export const appIdOfSubject = (subject: string | undefined): string | undefined =>
  subject?.startsWith('app:') ? subject.slice('app:'.length) : undefined;
