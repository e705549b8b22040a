import { isoTime } from '../../../shared/runtime/clock.ts';
import type { ContactRecord } from '../contract/contact.ts';
import type { FieldRecord } from '../contract/field.ts';
import type { Contact } from '../contract/stored.ts';
import { countryName } from '../contract/country.ts';
import { hasBlock } from './block.ts';
import type { LabelNames } from './contact.ts';
import type { Field } from './field.ts';

/** A contact as the API returns it. */
export const toContactRecord = (contact: Contact, { groups, tags }: LabelNames): ContactRecord => ({
  id: contact.id,
  name: contact.name ?? null,
  phone: contact.phone,
  user_id: contact.userId ?? null,
  username: contact.username?.value ?? null,
  reachable_by: contact.phone === '' ? 'user_id' : 'phone',
  email: contact.email ?? null,
  city: contact.city ?? null,
  country: (contact.country && countryName(contact.country)) ?? null,
  company: contact.company ?? null,
  subscribed: contact.subscribed,
  is_on_whatsapp: contact.isOnWhatsapp,
  enabled_ai_bot: contact.enabledAiBot,
  marketing_blocked: contact.marketingBlocked,
  blocked: hasBlock(contact),
  groups: contact.groupIds.flatMap((id) => {
    const group = groups.get(id);
    return group ? [{ id, name: group.name }] : [];
  }),
  tags: contact.tagIds.flatMap((id) => {
    const tag = tags.get(id);
    return tag ? [{ id, name: tag.name, color: tag.color }] : [];
  }),
  custom: { ...contact.custom },
  created_at: isoTime(contact.createdAt),
  updated_at: isoTime(contact.updatedAt),
  ...(contact.deletedAt === undefined ? {} : { deleted_at: isoTime(contact.deletedAt) }),
});

/** The definition of a custom field as the API returns it (A18). */
export const toFieldRecord = (field: Field): FieldRecord => ({
  id: field.id,
  key: field.key,
  name: field.name,
  type: field.type,
  options: [...field.options],
  required: field.required,
  default_value: field.defaultValue ?? null,
  position: field.position,
  is_active: field.isActive,
  created_at: isoTime(field.createdAt),
  updated_at: isoTime(field.updatedAt),
});
