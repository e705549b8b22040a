import { countryName } from '../../contacts/contract/country.ts';
import { type EligibilityFacts, exclusionReason, isKnownNotOnWhatsapp } from '../../contacts/contract/eligibility.ts';
import { isStoredPhone } from '../../contacts/contract/phone.ts';
import type { Contact } from '../../contacts/contract/stored.ts';
import type { TemplateParameters } from '../../templates/contract/parameters.ts';
import type { ExclusionReason } from '../contract/stored.ts';
import { buildComponents, type FieldReader, type GivenParameters } from '../domain/parameters.ts';

/**
 * Whether a contact gets a message now (A40): the one rule of the preview, of the construction and of the instant of each send.
 * Marketing excludes contacts who opted out; other templates exclude only contacts whom they cannot reach.
 */
export const exclusionReasonOf = (
  contact: (EligibilityFacts & Pick<Contact, 'phone'>) | undefined,
  category: string,
  nowMs: number,
): ExclusionReason | undefined => {
  if (contact === undefined) return 'deleted';
  // a contact known by the provider's user id alone has no phone
  if (!isStoredPhone(contact.phone)) return 'invalid_phone';
  if (category !== 'MARKETING') return isKnownNotOnWhatsapp(contact, nowMs) ? 'not_on_whatsapp' : undefined;
  const reason = exclusionReason(contact, nowMs);
  return reason === 'known_not_on_whatsapp' ? 'not_on_whatsapp' : reason;
};

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
