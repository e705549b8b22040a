import { templateWebhookFields } from '../../templates/contract/webhook-fields.ts';

/** Fields about a business account and its numbers. */
export const accountFields = ['account_update', 'account_review_update', 'business_capability_update'] as const;
export type AccountField = (typeof accountFields)[number];
export const numberFields = ['phone_number_quality_update', 'phone_number_name_update'] as const;
/** Fields that bring lists: of messages, statuses, calls and preferences. */
const fieldsWithLists = ['calls', 'messages', 'smb_message_echoes', 'user_preferences'] as const;
/** Applied where a post has it. The provider has no such field to subscribe to any more, and refuses a subscription that names one. */
const formerFields = ['user_id_update'] as const;
export const isFormerField = (field: string): boolean => formerFields.some((each) => each === field);
export type ListField = (typeof fieldsWithLists)[number] | (typeof formerFields)[number];

/** The fields of the provider's webhooks that the product applies; an app that is not subscribed to one gets none of its updates. */
export const webhookFields = [...accountFields, ...numberFields, ...fieldsWithLists, ...templateWebhookFields].toSorted();
