import type { LinkProps } from '@tanstack/react-router';
import type { IconName } from '../components/icons.tsx';
import type { Role } from '../data/session.ts';
import type { developersText } from '../text/developers.ts';
import type { salesText } from '../text/sales.ts';
import type { settingsText } from '../text/settings.ts';
import type { shopText } from '../text/shop.ts';
import type { spendText } from '../text/spend.ts';
import type { TextOf } from '../text/text.ts';
import type { verificationText } from '../text/verification.ts';

/** A page of an area: an entry of the list at its side, and of the command palette. */
interface PageOf<Text> {
  to: NonNullable<LinkProps['to']>;
  /** Its name in the texts of its area. */
  label: keyof Text;
  icon: IconName;
  /** The least role to whom it is shown. */
  role: Role;
}

export const salesPages = [
  { to: '/sales', label: 'board', icon: 'chart', role: 'viewer' },
  { to: '/sales/tasks', label: 'tasks', icon: 'check', role: 'viewer' },
  { to: '/sales/reports', label: 'reports', icon: 'list', role: 'viewer' },
] as const satisfies readonly PageOf<TextOf<typeof salesText>>[];

export const shopPages = [
  { to: '/shop', label: 'orders', icon: 'list', role: 'viewer' },
  { to: '/shop/carts', label: 'carts', icon: 'clock', role: 'viewer' },
  { to: '/shop/products', label: 'products', icon: 'template', role: 'viewer' },
  { to: '/shop/categories', label: 'categories', icon: 'file', role: 'viewer' },
  { to: '/shop/messages', label: 'messages', icon: 'send', role: 'viewer' },
  { to: '/shop/connections', label: 'connections', icon: 'link', role: 'viewer' },
  { to: '/shop/incoming', label: 'incoming', icon: 'download', role: 'admin' },
  { to: '/shop/privacy', label: 'privacy', icon: 'shield', role: 'admin' },
] as const satisfies readonly PageOf<TextOf<typeof shopText>>[];

export const spendPages = [
  { to: '/spend', label: 'overview', icon: 'chart', role: 'viewer' },
  { to: '/spend/rates', label: 'rates', icon: 'list', role: 'viewer' },
] as const satisfies readonly PageOf<TextOf<typeof spendText>>[];

export const verificationPages = [
  { to: '/verification', label: 'overview', icon: 'chart', role: 'admin' },
  { to: '/verification/requests', label: 'requests', icon: 'list', role: 'admin' },
  { to: '/verification/profiles', label: 'profiles', icon: 'key', role: 'admin' },
  { to: '/verification/blocks', label: 'blocks', icon: 'shield', role: 'admin' },
] as const satisfies readonly PageOf<TextOf<typeof verificationText>>[];

export const settingsPages = [
  { to: '/settings', label: 'company', icon: 'building', role: 'viewer' },
  { to: '/settings/people', label: 'people', icon: 'users', role: 'viewer' },
  { to: '/settings/numbers', label: 'numbers', icon: 'phone', role: 'viewer' },
  { to: '/settings/keywords', label: 'keywords', icon: 'note', role: 'viewer' },
  { to: '/settings/fields', label: 'fields', icon: 'list', role: 'viewer' },
  { to: '/settings/usage', label: 'usage', icon: 'chart', role: 'viewer' },
  { to: '/settings/ceilings', label: 'ceilings', icon: 'chart', role: 'viewer' },
  { to: '/settings/audit', label: 'audit', icon: 'shield', role: 'admin' },
  { to: '/settings/sessions', label: 'sessions', icon: 'signout', role: 'viewer' },
  { to: '/settings/preferences', label: 'preferences', icon: 'bell', role: 'viewer' },
] as const satisfies readonly PageOf<TextOf<typeof settingsText>>[];

export const developersPages = [
  { to: '/developers', label: 'events', icon: 'bolt', role: 'viewer' },
  { to: '/developers/deliveries', label: 'deliveries', icon: 'send', role: 'admin' },
  { to: '/developers/requests', label: 'requests', icon: 'list', role: 'admin' },
  { to: '/developers/webhooks', label: 'webhooks', icon: 'webhook', role: 'admin' },
  { to: '/developers/tokens', label: 'tokens', icon: 'key', role: 'viewer' },
  { to: '/developers/addresses', label: 'addresses', icon: 'link', role: 'admin' },
  { to: '/developers/signatures', label: 'signatures', icon: 'shield', role: 'viewer' },
  { to: '/developers/reference', label: 'reference', icon: 'file', role: 'viewer' },
] as const satisfies readonly PageOf<TextOf<typeof developersText>>[];
