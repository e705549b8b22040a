import { invalid, type Problem } from '../../../shared/contract/problems.ts';
import type { SettingsBody, SettingsRecord, ShopSettings } from '../contract/settings.ts';
import { findSettings, saveSettings } from '../store/settings.ts';

export const shopSettings = async (companyId: number): Promise<ShopSettings> => (await findSettings(companyId)) ?? defaults(companyId);

export const getSettings = async (companyId: number): Promise<SettingsRecord> => shown(await shopSettings(companyId));

export const updateSettings = async (companyId: number, body: SettingsBody): Promise<SettingsRecord | Problem<'validation_failed'>> => {
  const before = await shopSettings(companyId);
  const { template_id, ...cart } = body.abandoned_cart ?? {};
  const next: ShopSettings = {
    ...before,
    abandoned_cart: {
      ...before.abandoned_cart,
      ...given(cart),
      ...(template_id === undefined ? {} : { template_id }),
    },
    ...(body.quiet_hours === undefined ? {} : { quiet_hours: body.quiet_hours }),
    ...(body.strict_order_transitions === undefined ? {} : { strict_order_transitions: body.strict_order_transitions }),
    ...(body.platform_currency === undefined ? {} : { platform_currency: body.platform_currency }),
    order_notifications: notifications(before, body),
  };
  if (next.abandoned_cart.enabled && next.abandoned_cart.template_id === null)
    return invalid('abandoned_cart.template_id', 'Choose a template before enabling.');
  await saveSettings(next);
  return shown(next);
};

const defaults = (companyId: number): ShopSettings => ({
  companyId,
  abandoned_cart: { enabled: false, delay_minutes: 60, template_id: null, paramvalues: [], parammatch: [] },
  quiet_hours: null,
  order_notifications: {},
  strict_order_transitions: false,
  platform_currency: 'INR',
});

function notifications(before: ShopSettings, { order_notifications = {} }: SettingsBody): ShopSettings['order_notifications'] {
  const next = { ...before.order_notifications };
  for (const [name, template] of Object.entries(order_notifications)) {
    const status = name as keyof typeof next;
    if (template)
      next[status] = { template_id: template.template_id, paramvalues: template.paramvalues ?? [], parammatch: template.parammatch ?? [] };
    else delete next[status];
  }
  return next;
}

const shown = ({ companyId: _company, ...record }: ShopSettings): SettingsRecord => record;

const given = <T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> };
