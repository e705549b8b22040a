import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { type ShopSettings, storedSettings } from '../contract/settings.ts';

const settingsEntity = entity({
  name: 'shop-settings',
  purpose: "A company's shop settings",
  attributes: storedSettings,
  key: ({ companyId }: { companyId: number }) => ({ pk: `${tenant(companyId)}#SHOP`, sk: 'SETTINGS' }),
  idOf: ({ companyId }) => ({ companyId }),
  example: { pk: 'C#<company>#SHOP', sk: 'SETTINGS' },
});

export const getSettingsRow = pattern(
  { question: "a company's shop settings", entity: 'shop-settings', by: 'GetItem', units: '0.5 RRU' },
  (companyId: number): Promise<ShopSettings | undefined> => settingsEntity.get({ companyId }),
);

export const putSettings = pattern(
  { question: "change a company's shop settings", entity: 'shop-settings', by: 'PutItem', units: '1 WRU' },
  async (settings: ShopSettings): Promise<void> => {
    await settingsEntity.put(settings);
  },
);
