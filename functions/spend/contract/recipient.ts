import { phoneCountry, userIdCountry } from '../domain/recipient-country.ts';

/**
 * The country that prices a message to a recipient: of the phone, else of the provider's user id, which stands for the phone of a contact that
 * shows none. Undefined: of no known country.
 */
export const pricedCountry = ({ phone, userId }: { phone?: string | undefined; userId?: string | undefined }): string | undefined => {
  if (phone !== undefined && phone !== '' && phone !== '+') return phoneCountry(phone);
  return userId ? userIdCountry(userId) : undefined;
};
