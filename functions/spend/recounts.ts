import { notRecounted } from '../../shared/events/recount.ts';
import { spendAlertsEntity } from './store/spend-account.ts';

// what was published is known to no item: an account says what is left alone
export const recounts = [notRecounted(spendAlertsEntity)];
