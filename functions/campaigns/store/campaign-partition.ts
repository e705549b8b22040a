import { tenant } from '../../../shared/table/schema.ts';

/** The batches of a campaign and what is counted of it. */
export const campaignPartition = (companyId: number, campaignId: number): string => `${tenant(companyId)}#CAMPAIGN#${campaignId}`;
