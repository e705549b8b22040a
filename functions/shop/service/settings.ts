import type { SettingsRecord, ShopSettings, TemplateSetting } from '../contract/settings.ts';
import { getSettingsRow, putSettings } from '../store/settings.ts';

export const settingsOf = async (companyId: number): Promise<ShopSettings> => (await getSettingsRow(companyId)) ?? defaults(companyId);

export const getShopSettings = async (companyId: number): Promise<SettingsRecord> => settingsRecordOf(await settingsOf(companyId));

/** Stores the currency that the connected store reports. */
export const setPlatformCurrency = async (companyId: number, currency: string): Promise<void> => {
  const before = await settingsOf(companyId);
  if (before.platform_currency !== currency) await putSettings({ ...before, platform_currency: currency });
};

/** The template of cart reminders, when one is chosen. */
export const cartTemplate = ({ abandoned_cart: { template_id, paramvalues, parammatch } }: ShopSettings): TemplateSetting | undefined =>
  template_id === null ? undefined : { template_id, paramvalues, parammatch };

export const settingsRecordOf = ({ companyId: _company, ...record }: ShopSettings): SettingsRecord => record;

/** No values for any part of a template. */
export const noValues = { body: {}, header: {}, buttons: {} };

const defaults = (companyId: number): ShopSettings => ({
  companyId,
  abandoned_cart: { enabled: false, delay_minutes: 60, template_id: null, paramvalues: noValues, parammatch: noValues },
  quiet_hours: null,
  order_notifications: {},
  strict_order_transitions: false,
  platform_currency: 'INR',
});
