import { afterAll, beforeAll } from 'vitest';
import { clockOnLaptop } from './laptop/clock.ts';
import { product, startLaptop } from './laptop/product.ts';

/** The running product, whose clock goes a day on and back. Minutes of real time: `npm run test:all -- kills`. */
beforeAll(startLaptop);
afterAll(() => product.stop());

clockOnLaptop();
