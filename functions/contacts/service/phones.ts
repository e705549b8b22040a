import { getCompany } from '../../account/service/companies.ts';
import { type PhoneReading, readPhone } from '../contract/phone.ts';

/** A phone as a caller of a company wrote it. The company is read (0.5 RRU) only where its default country could matter. */
export const readCompanyPhone = async (companyId: number, input: string): Promise<PhoneReading> => {
  const phone = readPhone(input);
  if (!phone.dependsOnCountry) return phone;
  const country = await getDefaultCountry(companyId);
  return country === undefined ? phone : readPhone(input, country);
};

/** By which national numbers are read (A2): ISO 3166-1 alpha-2. 0.5 RRU. */
export const getDefaultCountry = async (companyId: number): Promise<string | undefined> =>
  (await getCompany(companyId))?.settings.defaultCountry;
