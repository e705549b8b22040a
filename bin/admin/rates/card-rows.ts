import { type CardMarket, type CardPrice, priceCategories, type PriceCategory } from '../../../functions/spend/contract/card.ts';
import { decimalText, microsOf } from '../../../functions/spend/domain/money.ts';
import { Failure } from '../failure.ts';
import { countriesOfMarket, isGroup } from './regions.ts';

/** What the command line adds to a file of the provider. */
export interface CardFileOptions {
  currency: string;
  /** Countries by market, for markets that are neither a country nor a group that is known. */
  markets?: Readonly<Record<string, readonly string[]>>;
}

/** The markets of a card from the rows of a table of the provider: `Market, Currency, Marketing, Utility, ...`, with notes above and below. */
export const marketsOfRows = (rows: readonly (readonly string[])[], { currency, markets: own }: CardFileOptions): CardMarket[] => {
  const { columns, body } = readHeader(rows, ['market'], ['currency', ...priceCategories], ['marketing', 'utility', 'authentication']);
  const markets = body.flatMap(({ cells, line }): CardMarket[] => {
    const market = cells[columns.get('market') ?? 0] ?? '';
    const countries = countriesOfMarket(market, own);
    const texts = priceCategories.map((category) => textAt(cells, columns, category));
    if (!countries) {
      // a note below the table has no prices
      if (market === '' || texts.every((text) => text === '')) return [];
      throw new Failure(`Line ${line}: "${market}" is no country and no known market. Name its countries with --markets.`);
    }
    if (texts.every((text) => text === '')) throw new Failure(`Line ${line}: ${market} has no price.`);
    checkCurrency(textAt(cells, columns, 'currency'), currency, line);
    const prices = Object.fromEntries(
      priceCategories.map((category, nth) => [category, priceOfCell(texts[nth] ?? '', `Line ${line}, ${category}`)]),
    ) as Record<PriceCategory, CardPrice>;
    return [{ market, countries: [...countries], ...prices }];
  });
  if (markets.length === 0) throw new Failure('The file has no market.');
  const single = new Set(markets.filter(({ market }) => !isGroup(market)).flatMap(({ countries }) => countries));
  return markets.map((each) =>
    isGroup(each.market) ? { ...each, countries: each.countries.filter((country) => !single.has(country)) } : each,
  );
};

/** The markets with the tiers of another table: `Market, Category, From, To, Rate`, a row a tier. */
export const withTiers = (markets: readonly CardMarket[], rows: readonly (readonly string[])[]): CardMarket[] => {
  const { columns, body } = readHeader(rows, ['market', 'category', 'from'], ['to', 'rate', 'price', 'currency'], []);
  const found = new Map<string, { from: number; to: number | undefined; price: string; line: number }[]>();
  for (const { cells, line } of body) {
    const market = textAt(cells, columns, 'market');
    if (market === '') continue;
    const given = textAt(cells, columns, 'category');
    const category = nameOf(given);
    if (!markets.some((each) => each.market === market)) throw new Failure(`Line ${line} of the tiers: the card has no market ${market}.`);
    if (!isPriceCategory(category)) throw new Failure(`Line ${line} of the tiers: "${given}" is no category of prices.`);
    const price = priceOfCell(textAt(cells, columns, columns.has('rate') ? 'rate' : 'price'), `Line ${line} of the tiers`);
    const [from, to] = [volumeOf(textAt(cells, columns, 'from'), line) ?? 0, volumeOf(textAt(cells, columns, 'to'), line)];
    if (typeof price !== 'string') throw new Failure(`Line ${line} of the tiers has no price.`);
    const key = `${market}/${category}`;
    found.set(key, [...(found.get(key) ?? []), { from: from === 1 ? 0 : from, to, price, line }]);
  }
  return markets.map((each) => {
    const tiered = priceCategories.flatMap((category) => {
      const tiers = found.get(`${each.market}/${category}`)?.toSorted((a, b) => a.from - b.from);
      return tiers ? [[category, checkedTiers(tiers, each[category], `${each.market}, ${category}`)] as const] : [];
    });
    return { ...each, ...Object.fromEntries(tiered) };
  });
};

function checkedTiers(
  tiers: readonly { from: number; to: number | undefined; price: string }[],
  list: CardPrice,
  of: string,
): { from: number; price: string }[] {
  const [first] = tiers;
  if (first?.from !== 0) throw new Failure(`The tiers of ${of} do not begin at 0.`);
  if (first.price !== list)
    throw new Failure(
      `The first tier of ${of} has the price ${first.price}, and the card has ${typeof list === 'string' ? list : 'another form'}.`,
    );
  const gap = tiers.findIndex(({ from }, nth) => nth > 0 && tiers[nth - 1]?.to !== undefined && tiers[nth - 1]?.to !== from - 1);
  if (gap > 0) throw new Failure(`Between the tiers of ${of} is a gap before ${tiers[gap]?.from ?? 0}.`);
  return tiers.map(({ from, price }) => ({ from, price }));
}

interface TableRow {
  cells: readonly string[];
  line: number;
}

/** The columns by name and the rows below the line that names them. A column that is not known stops the import: it could be a price. */
function readHeader(
  rows: readonly (readonly string[])[],
  first: readonly string[],
  more: readonly string[],
  needed: readonly string[],
): { columns: Map<string, number>; body: TableRow[] } {
  const at = rows.findIndex((cells) => first.every((name) => cells.some((cell) => nameOf(cell) === name)));
  if (at < 0) throw new Failure(`The file has no line with the column ${first.join(', ')}.`);
  const columns = new Map<string, number>();
  for (const [nth, cell] of (rows[at] ?? []).entries()) {
    const name = nameOf(cell);
    if (name === '') continue;
    if (![...first, ...more].includes(name)) throw new Failure(`The column "${cell}" is not known.`);
    if (columns.has(name)) throw new Failure(`The column "${cell}" is there twice.`);
    columns.set(name, nth);
  }
  const missing = needed.find((name) => !columns.has(name));
  if (missing !== undefined) throw new Failure(`The file has no column ${missing}.`);
  return { columns, body: rows.slice(at + 1).map((cells, nth) => ({ cells, line: at + nth + 2 })) };
}

const textAt = (cells: readonly string[], columns: ReadonlyMap<string, number>, name: string): string => {
  const column = columns.get(name);
  return column === undefined ? '' : (cells[column] ?? '').trim();
};

/** `Authentication-International` is `authentication_international`. */
const nameOf = (cell: string): string =>
  cell
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '_')
    .replaceAll(/^_|_$/g, '');

const isPriceCategory = (name: string): name is PriceCategory => priceCategories.some((category) => category === name);

/** `n/a` is no price, which is not 0. A number of a workbook has up to 17 digits: it is read to a millionth. */
function priceOfCell(cell: string, where: string): string | null {
  const text = cell.replace(/^[^\d.,-]+(?=\d)/, '').trim();
  if (['', 'n/a', '-', '–', '—'].includes(text.toLowerCase())) return null;
  const value = Number(text);
  if (!/^\d+(\.\d+)?(e-?\d+)?$/i.test(text) || !Number.isFinite(value)) throw new Failure(`${where}: "${cell}" is no price.`);
  const micros = microsOf(value.toFixed(6));
  if (micros === undefined || Math.abs(value - Number(value.toFixed(6))) > 1e-12)
    throw new Failure(`${where}: "${cell}" has more than six decimals.`);
  return decimalText(micros);
}

/** `MAX` and nothing are no bound. */
function volumeOf(cell: string, line: number): number | undefined {
  const text = cell.replaceAll(/[,\s]/g, '');
  if (text === '' || /^max$/i.test(text)) return undefined;
  if (!/^\d{1,12}$/.test(text)) throw new Failure(`Line ${line} of the tiers: "${cell}" is no volume.`);
  return Number(text);
}

/** How cards write currencies. */
const symbols: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP', '₹': 'INR', $: 'USD', $US: 'USD', US$: 'USD', R$: 'BRL' };

function checkCurrency(cell: string, currency: string, line: number): void {
  const given = symbols[cell] ?? cell.toUpperCase();
  if (/^[A-Z]{3}$/.test(given) && given !== currency) throw new Failure(`Line ${line}: the prices are in ${given}, not in ${currency}.`);
}
