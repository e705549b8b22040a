import type { SettingsRecord, ShopSettings, TemplateSetting } from '../contract/settings.ts';
import { findSettings, saveSettings } from '../store/settings.ts';

export const shopSettings = async (companyId: number): Promise<ShopSettings> => (await findSettings(companyId)) ?? defaults(companyId);

export const getSettings = async (companyId: number): Promise<SettingsRecord> => shownSettings(await shopSettings(companyId));

/** The currency of the company's store, as the store says it is. */
export const setPlatformCurrency = async (companyId: number, currency: string): Promise<void> => {
  const before = await shopSettings(companyId);
  if (before.platform_currency !== currency) await saveSettings({ ...before, platform_currency: currency });
};

/** The template of reminders of carts, where one is chosen. */
export const cartTemplate = ({ abandoned_cart: { template_id, paramvalues, parammatch } }: ShopSettings): TemplateSetting | undefined =>
  template_id === null ? undefined : { template_id, paramvalues, parammatch };

export const shownSettings = ({ companyId: _company, ...record }: ShopSettings): SettingsRecord => record;

/** No values for any part of a template. */
export const none = { body: {}, header: {}, buttons: {} };

const defaults = (companyId: number): ShopSettings => ({
  companyId,
  abandoned_cart: { enabled: false, delay_minutes: 60, template_id: null, paramvalues: none, parammatch: none },
  quiet_hours: null,
  order_notifications: {},
  strict_order_transitions: false,
  platform_currency: 'INR',
});
