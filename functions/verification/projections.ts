import { proofsEntity } from './store/prefix.ts';

export const projections = [proofsEntity];
