import * as z from 'zod';

export const companyEntityName = 'company';

/** Of the stored company what reactions of other contexts read. */
export const storedCompanySettings = z.object({
  companyId: z.int(),
  settings: z.looseObject({ retentionDays: z.int().optional() }),
});
export type StoredCompanySettings = z.output<typeof storedCompanySettings>;
