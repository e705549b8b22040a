import { categoryEntity } from './store/category.ts';

export const projections = [categoryEntity];
