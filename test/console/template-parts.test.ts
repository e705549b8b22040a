import { describe, expect, test } from 'vitest';
import { componentsOf, filled, partsOf, placeholdersOf, placeholdersOfCard, type Values } from '../../console/components/template-parts.ts';

const body = (text: string) => ({ type: 'BODY', text });
const header = (format: string) => ({ type: 'HEADER', format });
const buttons = (...list: object[]) => ({ type: 'BUTTONS', buttons: list });
const link = { type: 'URL', text: 'Look', url: 'https://garden.example/{{1}}' };
const card = (text: string, format = 'IMAGE') => ({
  components: [header(format), body(text), buttons(link, { type: 'QUICK_REPLY', text: 'More' })],
});
const carousel = (...cards: object[]) => ({ type: 'CAROUSEL', cards });
const offer = (has_expiration: boolean) => ({ type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Sunday only', has_expiration } });

/** The components that the form sends of a template with a value in every field, and the names of its fields. */
const formOf = (components: { type: string }[], format: 'positional' | 'named' = 'positional', values: Values = {}) => {
  const parts = partsOf({ components });
  const wanted = [...placeholdersOf(parts), ...parts.cards.flatMap(placeholdersOfCard)];
  const given = Object.fromEntries(wanted.map(({ id, part }) => [id, part === 'media' ? 'https://garden.example/a.jpg' : `a ${id}`]));
  return { wanted: wanted.map(({ id }) => id), sent: componentsOf({ parameter_format: format }, parts, { ...given, ...values }) };
};

describe('the form of a template', () => {
  test('has a field for each place of a text, a file and the end of a link, and none for the others', () => {
    const { wanted, sent } = formOf(
      [header('VIDEO'), body('Hi {{first}}, hi {{first}}, {{day}}'), buttons(link, { type: 'PHONE_NUMBER', text: 'Call' })],
      'named',
    );
    expect(wanted).toEqual(['media', 'body:first', 'body:day', 'button:0']);
    const text = (name: string) => ({ type: 'text', text: `a body:${name}`, parameter_name: name });
    expect(sent).toEqual([
      { type: 'header', parameters: [{ type: 'video', video: { link: 'https://garden.example/a.jpg' } }] },
      { type: 'body', parameters: [text('first'), text('day')] },
      { type: 'button', index: '0', sub_type: 'url', parameters: [{ type: 'text', text: 'a button:0' }] },
    ]);
  });

  test('has those of each card by its place, whose values go to that card alone', () => {
    const { wanted, sent } = formOf([body('Hi {{1}}'), carousel(card('Roses {{1}}'), card('Herbs'))]);
    expect(wanted).toEqual(['body:1', '0.media', '0.body:1', '0.button:0', '1.media', '1.button:0']);
    const picture = { type: 'header', parameters: [{ type: 'image', image: { link: 'https://garden.example/a.jpg' } }] };
    const end = (place: number) => ({
      type: 'button',
      index: '0',
      sub_type: 'url',
      parameters: [{ type: 'text', text: `a ${place}.button:0` }],
    });
    const words = { type: 'body', parameters: [{ type: 'text', text: 'a 0.body:1' }] };
    expect(sent.find(({ type }) => type === 'carousel')).toEqual({
      type: 'carousel',
      cards: [
        { card_index: 0, components: [picture, words, end(0)] },
        { card_index: 1, components: [picture, end(1)] },
      ],
    });
    expect(filled('Roses {{1}} and {{2}}', 'body', { '0.body:1': 'red', 'body:1': 'blue' }, 0)).toBe('Roses red and {{2}}');
  });

  test('names the product of a card, the products of a button, a code and the end of an offer', () => {
    expect(formOf([body('Look'), carousel(card('A', 'PRODUCT'), card('B', 'PRODUCT'))]).wanted).toContain('1.catalog');
    const items = formOf([body('Look'), buttons({ type: 'MPM', text: 'View' })], 'positional', { 'button:0': ' rye, oat\nbun ' });
    expect(items.sent.at(-1)).toMatchObject({
      sub_type: 'mpm',
      parameters: [{ action: { thumbnail_product_retailer_id: 'rye', sections: [{ title: 'View', product_items: [{}, {}, {}] }] } }],
    });
    const at = new Date(2027, 3, 1, 18, 30);
    const sale = [body('Hi'), offer(true), buttons({ type: 'COPY_CODE', text: 'Copy' }, link)];
    const { wanted, sent } = formOf(sale, 'positional', { offer: '2027-04-01T18:30' });
    expect(wanted).toEqual(['button:0', 'button:1', 'offer']);
    expect(sent).toContainEqual({
      type: 'limited_time_offer',
      parameters: [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: at.getTime() } }],
    });
    expect(formOf([body('Hi'), offer(false), buttons(link)]).wanted).toEqual(['button:0']);
  });
});
