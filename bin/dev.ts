import './closed-output.ts';
import './memory-limits.ts';

await import('./dev-product.ts');
