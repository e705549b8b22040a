import * as z from 'zod';
import { safeNumber } from '../../../shared/contract/fields.ts';
import { isContactField } from '../domain/parameters.ts';
import type { CardValues, ParameterMap } from './stored.ts';

/**
 * `paramvalues`, `parammatch` and `data` (A39): an object by part of the template, with the same for each card of a carousel, a flat object or
 * a list for its body, or any of them as JSON text.
 */
const scalar = z.union([z.string(), safeNumber, z.boolean()]).transform(String).pipe(z.string().max(1_024));
const byName = z.union([
  z.record(z.string().max(100), scalar),
  z.array(scalar).transform((list) => Object.fromEntries(list.map((each, index) => [String(index + 1), each]))),
]);
/** A button has one value: given alone, or under any name of its own. */
const buttonValue = z.union([
  scalar,
  z.record(z.string(), scalar).transform((own, context) => {
    const [first, ...more] = Object.values(own);
    if (first !== undefined && more.length === 0) return first;
    context.addIssue({ code: 'custom', message: 'A button has one value.' });
    return z.NEVER;
  }),
]);
const buttons = z.union([
  z.record(z.string().regex(/^\d{1,2}$/), buttonValue),
  z.array(buttonValue).transform((list) => Object.fromEntries(list.map((each, index) => [String(index), each]))),
]);
const parts = { body: byName.optional(), header: byName.optional(), buttons: buttons.optional() };
const card = z.strictObject(parts);
const cards = z.union([
  z.record(z.string().regex(/^\d$/), card),
  z
    .array(card)
    .max(10)
    .transform((list) => Object.fromEntries(list.map((each, index) => [String(index), each]))),
]);
const byPart = z.strictObject({ ...parts, cards: cards.optional() });
const form = z.union([byPart, byName.transform((body) => ({ body }))]);

/** They are stored in the campaign's item, and those of a single recipient in its batch. */
const maxChars = 30_000;

export const parameters = (description: string) =>
  z
    .unknown()
    .transform((input, context): ParameterMap => {
      const refuse = (message: string): never => {
        context.addIssue({ code: 'custom', message });
        return z.NEVER;
      };
      if (input === null || input === undefined || input === '') return {};
      const read = typeof input === 'string' ? readJson(input) : input;
      if (read === undefined) return refuse('Is not readable as JSON.');
      const parsed = form.safeParse(read);
      if (!parsed.success)
        return refuse('Must be {"body":{"1":"text"},"header":{},"buttons":{"0":"text"}}, {"1":"text"} or a list of texts.');
      const given = parsed.data as ParameterMap;
      if (valuesIn(given).length > 100) return refuse('Must have at most 100 values.');
      if (JSON.stringify(parsed.data).length > maxChars) return refuse(`Must have at most ${maxChars} characters together.`);
      return filledParts(given);
    })
    .meta({ override: { description, oneOf: [{ type: 'object' }, { type: 'array', items: { type: 'string' } }, { type: 'string' }] } });

/** As `parameters`, its values being fields of the contact. */
export const fieldNames = (description: string) =>
  parameters(description).refine((map) => valuesIn(map).every((field) => isContactField(field)), {
    error: 'Values must be fields of the contact: name, username, phone, email, city, country, company or custom.<key>.',
  });

/** All values, those of the cards too. */
const valuesIn = ({ cards: own = {}, ...top }: ParameterMap): string[] =>
  [top, ...Object.values(own)].flatMap(({ body, header, buttons: each }) =>
    [body, header, each].flatMap((values) => Object.values(values ?? {})),
  );

/** Without what is empty: an empty map says that nothing comes from the contact. */
function filledParts({ cards: own = {}, ...top }: ParameterMap): ParameterMap {
  const filled = Object.entries(own).map(([index, each]) => [index, filledMaps(each)] as const);
  const some = filled.filter(([, each]) => Object.keys(each).length > 0);
  return { ...filledMaps(top), ...(some.length > 0 ? { cards: Object.fromEntries(some) } : {}) };
}

const filledMaps = (maps: CardValues): CardValues =>
  Object.fromEntries(Object.entries(maps).filter(([, map]) => map !== undefined && Object.keys(map).length > 0));

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
