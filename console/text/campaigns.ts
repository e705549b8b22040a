import { catalogue } from './text.ts';

export const campaignsText = catalogue({
  en: () => import('./en/campaigns.ts'),
  de: () => import('./de/campaigns.ts'),
  ar: () => import('./ar/campaigns.ts'),
});
