import type { Cells } from '../../../shared/events/recount.ts';

/**
 * What an item was charged as, in cells. A message is in one cell that has all that its cost is shown by, so that every breakdown adds up:
 * `$/<number>/<origin>/<category><type>/<country>` counts messages. Where the provider posts an amount,
 * `a/<number>/<origin>/<category>/<country>/<currency>` has its micro-units. Codes have no message: `c$/<profile>/<country>` counts those sent.
 * What spend ceilings took and a message did not cost is in `b/<beginning of the account>/<kind>`, micro-units, of the day on which it was taken.
 */

/** One letter each: a cell is stored in every part of a day that has it. */
const categoryLetters = {
  marketing: 'm',
  marketing_lite: 'l',
  utility: 'u',
  authentication: 'a',
  authentication_international: 'i',
  service: 's',
  referral_conversion: 'r',
  other: 'o',
  unknown: 'x',
} as const;
export type ChargeCategory = keyof typeof categoryLetters;

/** Charged by the price of the day, free, charged with an amount that the provider posted, or not known. */
const typeLetters = { regular: 'r', free: 'f', posted: 'p', unknown: 'u' } as const;
export type ChargeType = keyof typeof typeLetters;

/** How one message is charged. */
export interface Charge {
  category: ChargeCategory;
  type: ChargeType;
  /** Of the recipient; undefined: of no known country. */
  country: string | undefined;
  /** What the provider posted, with type `posted`. */
  posted?: { micros: number; currency: string };
}

/** Who caused a message: a campaign, a token, or none of them. */
export type ChargeOrigin = { campaignId: number } | { tokenId: number } | undefined;

const none = '-';

/** A charge without number and origin, as campaigns count it: `mr/DE`, and `m/DE/EUR` for micro-units. */
export const chargeKeys = ({ category, type, country = none, posted }: Charge): Cells => ({
  [`${categoryLetters[category]}${typeLetters[type]}/${country}`]: 1,
  ...(posted ? { [`${categoryLetters[category]}/${country}/${posted.currency}`]: posted.micros } : {}),
});

/** The cells of a message. */
export const chargeCells = (charge: Charge, numberId: number | undefined, origin: ChargeOrigin): Cells =>
  Object.fromEntries(
    Object.entries(chargeKeys(charge)).map(([key, count]) => {
      const of = `${numberId ?? 0}/${originText(origin)}/${key}`;
      return [isAmountKey(key) ? `a/${of}` : `$/${of}`, count];
    }),
  );

/** What goes back to the ceilings of a company: by the time their counters began, and who took it. */
export interface FreedCount {
  began: number;
  kind: 'code' | 'other';
  micros: number;
}

export const freedCell = ({ began, kind }: Pick<FreedCount, 'began' | 'kind'>): string => `b/${began}/${kind.charAt(0)}`;

/** What the cells of a day say of it. */
export const freedIn = (cells: Cells): FreedCount[] =>
  Object.entries(cells).flatMap(([cell, micros]): FreedCount[] => {
    const [name, began, kind] = cell.split('/');
    return name === 'b' ? [{ began: Number(began), kind: kind === 'c' ? 'code' : 'other', micros }] : [];
  });

/** The cell of codes that were sent by a profile. */
export const codeCell = (profile: string, country: string | undefined): string => `c$/${profile}/${country ?? none}`;

const isAmountKey = (key: string): boolean => key.split('/').length === 3;

const originText = (origin: ChargeOrigin): string => {
  if (!origin) return none;
  return 'campaignId' in origin ? `c${origin.campaignId}` : `t${origin.tokenId}`;
};

/** Cells of a part beyond which further numbers, campaigns and tokens are counted together. Countries never are: prices depend on them. */
export const maxCellsOfPart = 150;

/** Numbers that are counted together, and what their messages come from. */
export const otherNumbers = 0;
export const otherOrigins = 'o';

/** The cell that a cell's messages are counted in, where a part has too many; undefined: it has a place of its own. */
export const collapsedCell = (cell: string): string | undefined => {
  const [kind, , , ...key] = cell.split('/');
  return kind === '$' || kind === 'a' ? [kind, otherNumbers, otherOrigins, ...key].join('/') : undefined;
};

/** What cells count. `count`: of messages or codes; `micros` instead: an amount. */
export interface ChargeCount {
  kind: 'messages' | 'amount' | 'codes';
  category: ChargeCategory;
  type: ChargeType;
  country: string | undefined;
  count: number;
  currency?: string;
  numberId?: number;
  /** `o`: several that are counted together. */
  origin?: { campaignId: number } | { tokenId: number } | 'other';
  /** What the cell says of the profile. */
  profile?: string;
}

/** What the cells of a day say of charges, in a fixed order: the order decides which messages a tier counts first. */
export const chargesOf = (cells: Cells): ChargeCount[] =>
  Object.entries(cells)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([cell, count]): ChargeCount[] => {
      const [kind, first = '', second = '', ...key] = cell.split('/');
      if (kind === 'c$') return [{ ...codes, country: countryOf(second), count, profile: first }];
      if (kind !== '$' && kind !== 'a') return [];
      const of = chargeOfKey(key.join('/'), count);
      return of ? [{ ...of, numberId: Number(first), ...originOf(second) }] : [];
    });

const codes = { kind: 'codes', category: 'authentication', type: 'regular' } as const;

/** What a key of `chargeKeys` counts; undefined: it is of a later release. */
export const chargeOfKey = (key: string, count: number): ChargeCount | undefined => {
  const [letters = '', country = none, currency] = key.split('/');
  const category = categoryOfLetter.get(letters.charAt(0));
  const type = currency === undefined ? typeOfLetter.get(letters.charAt(1)) : 'posted';
  if (category === undefined || type === undefined) return undefined;
  const of = { category, type, country: countryOf(country), count };
  return currency === undefined ? { kind: 'messages', ...of } : { kind: 'amount', ...of, currency };
};

const categoryOfLetter = new Map<string, ChargeCategory>(
  Object.entries(categoryLetters).map(([category, letter]) => [letter, category as ChargeCategory]),
);
const typeOfLetter = new Map<string, ChargeType>(Object.entries(typeLetters).map(([type, letter]) => [letter, type as ChargeType]));

const countryOf = (text: string): string | undefined => (text === none ? undefined : text);

const originOf = (text: string): Pick<ChargeCount, 'origin'> => {
  if (text === otherOrigins) return { origin: 'other' };
  const id = Number(text.slice(1));
  if (text.startsWith('c')) return { origin: { campaignId: id } };
  return text.startsWith('t') ? { origin: { tokenId: id } } : {};
};
