import type { Scope } from '../../../shared/contract/route.ts';

/** What a credential must be able to read to have events of a family sent to an address. */
const scopeOfFamily: Readonly<Record<string, Scope>> = {
  message: 'conversations:read',
  contact: 'contacts:read',
  campaign: 'campaigns:read',
  template: 'templates:read',
  lead: 'crm:read',
  task: 'crm:read',
  product: 'shop:read',
  order: 'shop:read',
  cart: 'shop:read',
  verification: 'verification:manage',
};

/** Of one event or a family (`order.*`); `*` is all of them. An unknown family is for those who may read everything of the account. */
export const scopesOfChoice = (choice: string): readonly Scope[] =>
  choice === '*' ? [...new Set(Object.values(scopeOfFamily))] : [scopeOfFamily[choice.split('.')[0] ?? ''] ?? 'account:manage'];
