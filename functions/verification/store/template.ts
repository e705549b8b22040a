import * as z from 'zod';
import { missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { channel } from '../contract/stored.ts';

const partition = (companyId: number): string => `${tenant(companyId)}#V#TEMPLATES`;

export const codeTemplateEntity = entity({
  name: 'verification-template',
  purpose: "A template of a profile's codes, for a channel and purpose",
  attributes: z.object({
    companyId: z.int(),
    profileId: z.string(),
    channel,
    /** `default`: for every purpose without a template of its own. */
    purpose: z.string(),
    id: z.string(),
    language: z.string(),
    providerTemplate: z.string().optional(),
    subject: z.string().optional(),
    body: z.string().optional(),
    /** The provider template carries a magic link in place of the code. */
    link: z.object({ button: z.int(), hasAbout: z.boolean() }).optional(),
    createdAt: z.int(),
    updatedAt: z.int(),
  }),
  key: (id: CodeTemplateId) => ({ pk: partition(id.companyId), sk: `${id.profileId}#${id.channel}#${id.purpose}` }),
  idOf: ({ companyId, profileId, channel, purpose }) => ({ companyId, profileId, channel, purpose }),
  example: { pk: 'C#<company>#V#TEMPLATES', sk: '<profile>#<channel>#<purpose>' },
});
export type CodeTemplate = ItemOf<typeof codeTemplateEntity>;
export interface CodeTemplateId {
  companyId: number;
  profileId: string;
  channel: 'whatsapp' | 'email';
  purpose: string;
}

export const maxCodeTemplates = 100;

export const listCodeTemplates = pattern(
  { question: 'the code templates of a profile', entity: 'verification-template', by: 'Query', units: '0.5 RRU for about 8' },
  (companyId: number, profileId?: string, options: { consistent?: boolean } = {}): Promise<CodeTemplate[]> =>
    codeTemplateEntity.collect({ pk: partition(companyId), ...(profileId ? { begins: `${profileId}#` } : {}), ...options }),
);

export const createCodeTemplate = pattern(
  { question: 'create a code template, one for a channel and purpose', entity: 'verification-template', by: 'PutItem', units: '1 WRU' },
  (template: CodeTemplate): Promise<Written<CodeTemplate>> => codeTemplateEntity.put(template, missing()),
);

export const putCodeTemplate = pattern(
  { question: 'change a code template', entity: 'verification-template', by: 'PutItem', units: '1 WRU' },
  async (template: CodeTemplate): Promise<void> => {
    await codeTemplateEntity.put(template);
  },
);

export const deleteCodeTemplate = pattern(
  { question: 'delete a code template', entity: 'verification-template', by: 'DeleteItem', units: '1 WRU' },
  async (id: CodeTemplateId): Promise<void> => {
    await codeTemplateEntity.delete(id);
  },
);
