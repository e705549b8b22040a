import { dueSummary } from './contract/stored.ts';

export const due = [dueSummary];
