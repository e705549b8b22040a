import { alpha2ByNumber } from '../../../functions/contacts/contract/country.ts';
import { countryByName } from '../../../functions/contacts/domain/imports/country-names.ts';

/**
 * The groups of countries that the provider's cards price together, each with all countries that it has or had: one that has a row of its own in
 * a card is taken out of its group there. The cards do not list them; `--markets` names others. From the table of country calling codes at
 * https://developers.facebook.com/docs/whatsapp/pricing#country-calling-codes
 */
const groups: Readonly<Record<string, string>> = {
  'North America': 'CA US',
  'Rest of Africa':
    'AO BF BI BJ BW CG CI CM DZ ER ET GA GH GM GW KE LR LS LY MA MG ML MR MW MZ NA NE RW SD SL SN SO SS SZ TD TG TN TZ UG ZM ZW',
  'Rest of Asia Pacific': 'AF AU BD CN HK JP KH LA LK MN NP NZ PG PH SG TH TJ TM TW UZ VN',
  'Rest of Central & Eastern Europe': 'AL AM AZ BG BY CZ GE GR HR HU LT LV MD MK PL RO RS SI SK UA',
  'Rest of Latin America': 'BO CR DO EC GT HN HT JM NI PA PR PY SV UY VE',
  'Rest of Middle East': 'BH IQ JO KW LB OM QA YE',
  'Rest of Western Europe': 'AT BE CH DK FI IE NO PT SE',
};

/** The countries of a market of the provider; an empty list: those of no other market; undefined: the name is not known. */
export const countriesOfMarket = (market: string, own: Readonly<Record<string, readonly string[]>> = {}): readonly string[] | undefined => {
  const given = Object.entries(own).find(([name]) => isSame(name, market))?.[1];
  if (given) return given;
  if (isSame(market, 'Other')) return [];
  const group = Object.entries(groups).find(([name]) => isSame(name, market))?.[1];
  if (group !== undefined) return group.split(' ');
  const numeric = countryByName(market);
  const country = numeric === undefined ? undefined : alpha2ByNumber().get(numeric);
  return country === undefined ? undefined : [country];
};

/** Whether a market is a group, from which countries with a row of their own are taken out. */
export const isGroup = (market: string): boolean => Object.keys(groups).some((name) => isSame(name, market));

const isSame = (a: string, b: string): boolean => plain(a) === plain(b);
const plain = (name: string): string => name.toLowerCase().replaceAll('&', 'and').replaceAll(/\s+/g, ' ').trim();
