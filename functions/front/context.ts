import { context } from '../../shared/contract/context.ts';

/** Front: answers what no route matches, in the product's own words. It reads nothing and knows nobody. */
export const frontContext = context({
  name: 'front',
  purpose: 'Unknown addresses, wrong methods and OPTIONS',
  functions: [
    { name: 'front-http', entry: 'functions/front/http.ts', trigger: 'http', routes: {}, fallback: true, uses: [], memoryMb: 256 },
  ],
});
