import { countryName } from '../../contacts/contract/country.ts';
import { type EligibilityFacts, exclusionReason, isContactBlocked, isKnownNotOnWhatsapp } from '../../contacts/contract/eligibility.ts';
import { isStoredPhone } from '../../contacts/contract/phone.ts';
import type { Contact } from '../../contacts/contract/stored.ts';
import type { TemplateParameters } from '../../templates/contract/parameters.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import type { ExclusionReason } from '../contract/stored.ts';
import { buildComponents, type FieldReader, type GivenParameters } from '../domain/parameters.ts';

/** What decides whom a template may be sent to. */
export type AddressedTemplate = Pick<StoredTemplate, 'category' | 'bid'>;

/** Who has no phone is reached by the provider's user id, which takes neither codes nor templates with a max price (131062). */
const goesToPhonesAlone = ({ category, bid }: AddressedTemplate): boolean => category === 'AUTHENTICATION' || bid !== undefined;

/**
 * Whether a contact gets a message now (A40): the one rule of the preview, of the construction and of the instant of each send.
 * A contact that the company blocked gets nothing. Marketing excludes contacts who opted out; other templates exclude only contacts whom they cannot reach.
 */
export const exclusionReasonOf = (
  contact: (EligibilityFacts & Pick<Contact, 'phone'>) | undefined,
  template: AddressedTemplate,
  nowMs: number,
): ExclusionReason | undefined => {
  const { category } = template;
  if (contact === undefined) return 'deleted';
  if (contact.phone !== '' && !isStoredPhone(contact.phone)) return 'invalid_phone';
  if (contact.phone === '' && goesToPhonesAlone(template)) return 'needs_phone';
  if (isContactBlocked(contact)) return 'blocked';
  if (category !== 'MARKETING') return isKnownNotOnWhatsapp(contact, nowMs) ? 'not_on_whatsapp' : undefined;
  const reason = exclusionReason(contact, nowMs);
  return reason === 'known_not_on_whatsapp' ? 'not_on_whatsapp' : reason;
};

/** The same for a contact that was read whole: also whether it has any address. */
export const exclusionReasonOfContact = (
  contact: Contact | undefined,
  template: AddressedTemplate,
  nowMs: number,
): ExclusionReason | undefined =>
  exclusionReasonOf(contact, template, nowMs) ?? (contact?.phone === '' && contact.userId === undefined ? 'invalid_phone' : undefined);

/** Whether everything the template needs is there for a contact. */
export const lacksParameter = (contact: Contact, needs: TemplateParameters, given: GivenParameters): boolean =>
  'missing' in buildComponents(needs, given, contactFieldReader(contact));

export const contactFieldReader =
  (contact: Contact): FieldReader =>
  (field) => {
    switch (field) {
      case 'name':
      case 'phone':
      case 'email':
      case 'city':
      case 'company':
        return contact[field];
      case 'username':
        return contact.username?.value;
      case 'country':
        return contact.country && countryName(contact.country);
      default: {
        const value = field.startsWith('custom.') ? contact.custom[field.slice('custom.'.length)] : undefined;
        return value === undefined ? undefined : String(value);
      }
    }
  };

/** The same for all contacts, where no parameter is taken from a contact; undefined where one is. */
export const lacksParameterOfAll = (needs: TemplateParameters, given: GivenParameters): boolean | undefined =>
  Object.keys(given.match).length > 0 ? undefined : 'missing' in buildComponents(needs, given, () => undefined);
