import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { checkTemplateWords } from '../../messaging/service/queued-template.ts';
import type { SettingsBody, SettingsRecord, ShopSettings, TemplateSetting } from '../contract/settings.ts';
import { exampleFacts, wordsOf } from '../domain/template-words.ts';
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
  const refused = await unfitTemplate(companyId, before, next);
  if (refused) return refused;
  await saveSettings(next);
  return shown(next);
};

/** Of the templates that were newly chosen, one that could not be sent: it is told here, and not when a customer should hear (S25). */
async function unfitTemplate(
  companyId: number,
  before: ShopSettings,
  next: ShopSettings,
): Promise<Problem<'validation_failed'> | undefined> {
  const cart = cartTemplate(next);
  const chosen: [field: string, setting: TemplateSetting, was: TemplateSetting | undefined][] = [
    ...(cart ? [['abandoned_cart', cart, cartTemplate(before)] as [string, TemplateSetting, TemplateSetting | undefined]] : []),
    ...Object.entries(next.order_notifications).map(([status, setting]): [string, TemplateSetting, TemplateSetting | undefined] => [
      `order_notifications.${status}`,
      setting,
      before.order_notifications[status as keyof typeof before.order_notifications],
    ]),
  ];
  for (const [field, setting, was] of chosen) {
    if (JSON.stringify(setting) === JSON.stringify(was)) continue;
    const checked = await checkTemplateWords(companyId, wordsOf(setting, exampleFacts));
    if (checked.ok) continue;
    if (checked.reason === 'template_not_found') return invalid(`${field}.template_id`, 'There is no such template.');
    if (checked.reason === 'template_not_approved') return invalid(`${field}.template_id`, 'The template is not approved.');
    return problem('validation_failed', { errors: { [`${field}.paramvalues`]: Object.values(checked.errors).flat() } });
  }
  return undefined;
}

/** The template of reminders of carts, where one is chosen. */
export const cartTemplate = ({ abandoned_cart: { template_id, paramvalues, parammatch } }: ShopSettings): TemplateSetting | undefined =>
  template_id === null ? undefined : { template_id, paramvalues, parammatch };

const none = { body: {}, header: {}, buttons: {} };

const defaults = (companyId: number): ShopSettings => ({
  companyId,
  abandoned_cart: { enabled: false, delay_minutes: 60, template_id: null, paramvalues: none, parammatch: none },
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
      next[status] = {
        template_id: template.template_id,
        paramvalues: template.paramvalues ?? none,
        parammatch: template.parammatch ?? none,
      };
    else delete next[status];
  }
  return next;
}

const shown = ({ companyId: _company, ...record }: ShopSettings): SettingsRecord => record;

const given = <T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> };
