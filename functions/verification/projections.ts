import { codeRateEntity } from './store/code-rate.ts';
import { prefixEntity, proofsEntity } from './store/prefix.ts';

export const projections = [prefixEntity, proofsEntity, codeRateEntity];
