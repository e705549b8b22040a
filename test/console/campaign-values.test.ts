import { describe, expect, test } from 'vitest';
import { isBeyondForm, isFilled, parametersOf, shownValues } from '../../console/screens/campaigns/campaign-values.ts';
import { partsOf, placeholdersOf } from '../../console/components/template-parts.ts';

const template = {
  components: [
    { type: 'HEADER', format: 'IMAGE' },
    { type: 'BODY', text: 'Hello {{1}}, {{2}} is ready' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Stop' },
        { type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' },
      ],
    },
  ],
};
const parts = partsOf(template);
const wanted = placeholdersOf(parts);

describe('the values of a campaign', () => {
  test('are a field of the contact with a text where it has none, or a text, by their places in the template', () => {
    const fillings = {
      'body:1': { field: 'name', text: 'you' },
      'body:2': { field: '', text: ' order 7 ' },
      'button:1': { field: 'custom.parcel', text: '' },
      media: { field: '', text: 'https://example.com/a.png' },
    };
    expect(parametersOf(wanted, fillings)).toEqual({
      paramvalues: { body: { 1: 'you', 2: 'order 7' } },
      parammatch: { body: { 1: 'name' }, buttons: { 1: 'custom.parcel' } },
      media_url: 'https://example.com/a.png',
    });
    expect(isFilled(parts, fillings)).toBe(true);
    expect(isFilled(parts, { ...fillings, 'body:2': { field: '', text: ' ' } })).toBe(false);
  });

  test('have a file that was uploaded in place of its link, and are whole by it', () => {
    const fillings = Object.fromEntries(wanted.map(({ id }) => [id, { field: '', text: 'x' }]));
    const media = { field: '', text: '', file: { id: 'up_1', name: 'a.png' } };
    const { media_id, ...others } = parametersOf(wanted, { ...fillings, media }) as { media_id?: string };
    expect([media_id, 'media_url' in others]).toEqual(['up_1', false]);
    expect(isFilled(parts, { ...fillings, media })).toBe(true);
    expect(isFilled(parts, { ...fillings, media: { field: '', text: '' } })).toBe(false);
  });

  test('are shown as the first recipient gets them, and by their text where it has nothing there', () => {
    const fillings = { 'body:1': { field: 'name', text: 'you' }, 'body:2': { field: 'city', text: 'it' } };
    expect(shownValues(fillings, { name: 'Ana', city: '' })).toEqual({ 'body:1': 'Ana', 'body:2': 'it' });
  });

  test('cannot be filled in a form for cards, products and places', () => {
    expect(isBeyondForm(parts, wanted, false)).toBe(false);
    expect(isBeyondForm(parts, wanted, true)).toBe(true);
    const carousel = partsOf({ components: [{ type: 'CAROUSEL', cards: [{ components: [{ type: 'BODY', text: 'One' }] }] }] });
    expect(isBeyondForm(carousel, placeholdersOf(carousel), false)).toBe(true);
    const products = partsOf({
      components: [
        { type: 'BODY', text: 'x' },
        { type: 'BUTTONS', buttons: [{ type: 'MPM', text: 'View' }] },
      ],
    });
    expect(isBeyondForm(products, placeholdersOf(products), false)).toBe(true);
  });
});
