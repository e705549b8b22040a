import { codeRateEntity } from './store/code-rate.ts';
import { proofsEntity } from './store/prefix.ts';

export const projections = [proofsEntity, codeRateEntity];
