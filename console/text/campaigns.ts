import { catalogue } from './text.ts';

export const campaignsText = catalogue({
  en: async () => (await import('./en/campaigns.ts')).en,
  de: async () => (await import('./de/campaigns.ts')).de,
  ar: async () => (await import('./ar/campaigns.ts')).ar,
});
