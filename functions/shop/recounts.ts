import { recount } from '../../shared/events/recount.ts';
import { categoryEntity } from './store/category.ts';

export const recounts = [
  recount(categoryEntity, { facts: ({ productsCount }) => productsCount, fields: ['productsCount'], start: { productsCount: 0 } }),
];
