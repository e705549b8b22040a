import * as z from 'zod';
import { inHeader, text, timestamp } from '../../../shared/contract/fields.ts';

/** The id of an app at the provider. */
export const appId = text(20, 5)
  .regex(/^[0-9]+$/, { error: 'Must be the digits of the app’s id.' })
  .meta({ description: 'The id of the app at the provider.' });
export const appSecret = inHeader(text(200, 16)).meta({ description: 'Its secret, from the basic settings of the app. Never shown.' });
const name = text(100, 1).meta({ description: 'What the company calls it.' });

/** What a company gives of its app. https://developers.facebook.com/docs/development/create-an-app/app-dashboard/basic-settings */
export const companyAppInput = z.object({ app_id: appId, app_secret: appSecret, name });
export type CompanyAppInput = z.output<typeof companyAppInput>;

export const companyAppRecord = z
  .object({
    app_id: z.string().meta({ description: 'The id of the app at the provider.' }),
    name: z.string().meta({ description: 'What the company calls it.' }),
    number_ids: z.array(z.int()).meta({ description: 'The numbers that name it.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'App', description: 'An app of the provider that is the company’s, without its secret.' });
export type CompanyAppRecord = z.output<typeof companyAppRecord>;
