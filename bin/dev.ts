import './closed-output.ts';
import './few-arenas.ts';

await import('./dev-product.ts');
