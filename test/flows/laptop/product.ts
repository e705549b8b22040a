import { type CommandHost, type Ran, startCommandHost } from '../../support/command-line.ts';
import { type Product, startProduct } from '../../support/product.ts';

/** The one that all flows on the laptop use: starting it, and its functions, takes longer than most flows. */
export let product: Product;
let commands: CommandHost | undefined;

export const startLaptop = async (): Promise<void> => {
  product = await startProduct({ enforcesWindow: true });
};

export const stopLaptop = async (): Promise<void> => {
  await commands?.[Symbol.asyncDispose]();
  await product.stop();
};

/** A command of its operator. */
export const runAdmin = (args: readonly string[]): Promise<Ran> =>
  (commands ??= startCommandHost()).run([...args, '--data', product.folder]);
