import { defined } from '../../../shared/runtime/defined.ts';
import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { listUnsignedReceivers } from '../../account/service/machine-tokens.ts';
import { checkFilledTemplate } from '../../messaging/service/queue-template.ts';
import type { SettingsRecord, ShopSettings, TemplateSetting } from '../contract/settings.ts';
import type { SettingsBody } from '../contract/settings-routes.ts';
import { exampleValues, settingParameters } from '../domain/template-parameters.ts';
import { putSettings } from '../store/settings.ts';
import { cartTemplate, noValues, settingsOf, settingsRecordOf } from './settings.ts';

export const updateShopSettings = async (companyId: number, body: SettingsBody): Promise<SettingsRecord | Problem<'validation_failed'>> => {
  const before = await settingsOf(companyId);
  const { template_id, ...cart } = body.abandoned_cart ?? {};
  const next: ShopSettings = {
    ...before,
    abandoned_cart: {
      ...before.abandoned_cart,
      ...defined(cart),
      ...(template_id === undefined ? {} : { template_id }),
    },
    ...(body.quiet_hours === undefined ? {} : { quiet_hours: body.quiet_hours }),
    ...(body.strict_order_transitions === undefined ? {} : { strict_order_transitions: body.strict_order_transitions }),
    ...(body.platform_currency === undefined ? {} : { platform_currency: body.platform_currency }),
    order_notifications: mergeNotifications(before, body),
  };
  if (next.abandoned_cart.enabled && next.abandoned_cart.template_id === null)
    return invalid('abandoned_cart.template_id', 'Choose a template before you enable reminders.');
  const refused = (await unsignedProblem(companyId, before, next)) ?? (await templateProblem(companyId, before, next));
  if (refused) return refused;
  await putSettings(next);
  return settingsRecordOf(next);
};

/** Notices need signed posts: what an unsigned receiver takes notifies no customer, which is better known here than at the first order. */
async function unsignedProblem(
  companyId: number,
  before: ShopSettings,
  next: ShopSettings,
): Promise<Problem<'validation_failed'> | undefined> {
  if (Object.keys(before.order_notifications).length > 0 || Object.keys(next.order_notifications).length === 0) return undefined;
  const unsigned = await listUnsignedReceivers(companyId, ['storeplatform', 'webshop']);
  if (unsigned.length === 0) return undefined;
  return invalid(
    'order_notifications',
    `Give the receivers ${unsigned.join(', ')} a secret first (PUT /machine-tokens/{id}), or revoke them: their unsigned posts notify no customer.`,
  );
}

/** Checks each newly chosen template, so that a template that could not be sent is reported here and not at the first order. */
async function templateProblem(
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
  for (const [field, setting, previous] of chosen) {
    if (JSON.stringify(setting) === JSON.stringify(previous)) continue;
    const checked = await checkFilledTemplate(companyId, settingParameters(setting, exampleValues));
    if (checked.ok) continue;
    if (checked.reason === 'template_not_found') return invalid(`${field}.template_id`, 'There is no such template.');
    if (checked.reason === 'template_not_approved') return invalid(`${field}.template_id`, 'The template is not approved.');
    return problem('validation_failed', { errors: { [`${field}.paramvalues`]: Object.values(checked.errors).flat() } });
  }
  return undefined;
}

function mergeNotifications(before: ShopSettings, { order_notifications = {} }: SettingsBody): ShopSettings['order_notifications'] {
  const next = { ...before.order_notifications };
  for (const [name, template] of Object.entries(order_notifications)) {
    const status = name as keyof typeof next;
    if (template)
      next[status] = {
        template_id: template.template_id,
        paramvalues: template.paramvalues ?? noValues,
        parammatch: template.parammatch ?? noValues,
      };
    else delete next[status];
  }
  return next;
}
