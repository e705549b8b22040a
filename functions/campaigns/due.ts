import { dueCampaign } from './contract/queue.ts';

export const due = [dueCampaign];
