import { spendAlertsEntity } from './store/spend-account.ts';

export const projections = [spendAlertsEntity];
