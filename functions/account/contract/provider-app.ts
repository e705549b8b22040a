import * as z from 'zod';

/** What the operator gives of an app that companies share. https://developers.facebook.com/docs/development/create-an-app/app-dashboard/basic-settings */
export const providerAppInput = z.object({
  app_id: z.string().regex(/^\d{5,20}$/, 'must be the digits of the app’s id'),
  app_secret: z.string().min(16).max(200),
  name: z.string().trim().min(1).max(100),
});
export type ProviderAppInput = z.input<typeof providerAppInput>;

/** The subject of the receiver of an app: the token in its URL is of no company. */
export const appSubject = (appId: string): string => `app:${appId}`;
export const appIdOfSubject = (subject: string | undefined): string | undefined =>
  subject?.startsWith('app:') ? subject.slice('app:'.length) : undefined;
