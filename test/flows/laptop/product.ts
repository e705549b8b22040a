import { type Product, startProduct } from '../../support/product.ts';

/** The one that all flows on the laptop use: starting it, and its functions, takes longer than most flows. */
export let product: Product;

export const startLaptop = async (): Promise<void> => {
  product = await startProduct({ enforcesWindow: true });
};
