import { invalid, type Problem } from '../../../shared/contract/problems.ts';
import { readCompanyPhone } from '../../contacts/service/phones.ts';
import { type Identifier, parseIdentifier } from '../domain/identifier.ts';

/** An identifier as a caller wrote it: a phone is read as everywhere (A2), a national one by the company's default country. */
export const readIdentifier = async (companyId: number, given: string): Promise<Identifier | Problem<'validation_failed'>> => {
  const identifier = parseIdentifier(given);
  if (identifier !== undefined && identifier.kind !== 'phone') return identifier;
  const digitCount = given.match(/\p{Nd}/gu)?.length ?? 0;
  if (digitCount < 4 || given.includes('@'))
    return invalid('identifier', 'Must be a phone number with country code (8 to 15 digits) or an email address.');
  const phone = await readCompanyPhone(companyId, given);
  return phone.ok ? { kind: 'phone', value: `+${phone.digits}`, channel: 'whatsapp' } : invalid('identifier', phone.reason);
};
