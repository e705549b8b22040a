import { dueAccountCheck } from './contract/account-check.ts';

export const due = [dueAccountCheck];
