import { describe, expect, test } from 'vitest';
import { ruleWords } from '../../console/screens/templates/rule-words.ts';
import { type DraftButton, emptyDraft, type TemplateDraft } from '../../console/screens/templates/template-draft.ts';
import { fieldAt, reasonsAt, reasonsOf, takesButton } from '../../console/screens/templates/template-rules.ts';
import { de as problems } from '../../console/text/de/problems.ts';
import { de as texts } from '../../console/text/de/templates.ts';

const good: TemplateDraft = { ...emptyDraft, name: 'visit', body: 'We look forward to your visit.' };
const button = (type: DraftButton['type'], edit: Partial<DraftButton> = {}, key = 0): DraftButton => ({
  key,
  type,
  text: 'See',
  url: 'https://alder.example',
  phone: '+49301234567',
  example: 'SUMMER',
  ...edit,
});
const many = (type: DraftButton['type'], count: number): DraftButton[] => Array.from({ length: count }, (_, key) => button(type, {}, key));

/** Drafts that the API refuses for one reason each. */
const refused: Readonly<Record<string, Partial<TemplateDraft>>> = {
  'no name': { name: '' },
  'no text': { body: '' },
  'a long text': { body: 'x'.repeat(1_025) },
  'a value at the end': { body: 'Hello {{1}}', examples: { 'body:1': 'Ana' } },
  'two values in a row': { body: 'For {{1}} {{2}}.', examples: { 'body:1': 'a', 'body:2': 'b' } },
  'a gap in the numbers': { body: 'For {{2}}.', examples: { 'body:2': 'b' } },
  'a space in a value': { body: 'For {{ 1 }}.' },
  'no example': { body: 'For {{1}} and {{2}}.' },
  'no example of one': { body: 'For {{1}}.' },
  'no example of a name': { body: 'For {{name}}.' },
  'a name with a digit first': { body: 'For {{1a}}.', examples: { 'body:1a': 'b' } },
  'no headline': { headerKind: 'TEXT' },
  'a bold headline': { headerKind: 'TEXT', header: '*Hello*' },
  'two values in a headline': { headerKind: 'TEXT', header: '{{1}} and {{2}}', examples: { 'header:1': 'a', 'header:2': 'b' } },
  'no sample': { headerKind: 'VIDEO' },
  'a value in the small print': { footer: 'For {{1}}' },
  'eleven buttons': { buttons: many('QUICK_REPLY', 11) },
  'three links': { buttons: many('URL', 3) },
  'two calls': { buttons: many('PHONE_NUMBER', 2) },
  'two codes': { buttons: many('COPY_CODE', 2) },
  'replies apart': { buttons: [button('QUICK_REPLY'), button('URL'), button('QUICK_REPLY')] },
  'no code': { buttons: [button('COPY_CODE', { example: '' })] },
  'no text on a button': { buttons: [button('QUICK_REPLY', { text: '' })] },
  'an emoji on a button': { buttons: [button('QUICK_REPLY', { text: 'Yes 👍' })] },
  'no address': { buttons: [button('URL', { url: 'alder' })] },
  'a value within an address': { buttons: [button('URL', { url: 'https://alder.example/{{1}}/x' })] },
  'no example of an address': { buttons: [button('URL', { url: 'https://alder.example/{{1}}', example: '' })] },
  'a price that is no amount': { category: 'MARKETING', maxPrice: 'cheap', currency: 'EUR' },
  'a price of nothing': { category: 'MARKETING', maxPrice: '0', currency: 'EUR' },
  'a price finer than the provider takes': { category: 'MARKETING', maxPrice: '0.000001', currency: 'EUR' },
  'a price in a currency that is not taken': { category: 'MARKETING', maxPrice: '0.05', currency: 'IDR' },
  'no number': { buttons: [button('PHONE_NUMBER', { phone: 'none' })] },
};

describe('the API’s rules while a template is typed', () => {
  test('refuse nothing of a template that the API takes', () => {
    expect(reasonsOf(good)).toEqual({});
    const buttons = [button('QUICK_REPLY', {}, 0), button('URL', {}, 1), button('PHONE_NUMBER', {}, 2), button('COPY_CODE', {}, 3)];
    expect(reasonsOf({ ...good, headerKind: 'IMAGE', sample: { id: 'up_1', name: 'a.png' }, buttons })).toEqual({});
  });

  test.each(Object.entries(refused))('refuse %s, and say so in words of the reader', (_, edit) => {
    const reasons = Object.values(reasonsOf({ ...good, ...edit })).flat();
    expect(reasons.length).toBeGreaterThan(0);
    // none stays as the API says it
    expect(reasons.map((reason) => ruleWords(reason, texts, problems)).filter((words) => reasons.includes(words))).toEqual([]);
  });

  test('take a max price with a comma too, and of marketing alone', () => {
    const price = { maxPrice: '0,05', currency: 'EUR' };
    expect(reasonsOf({ ...good, ...price, category: 'MARKETING' })).toEqual({});
    expect(reasonsOf({ ...good, maxPrice: 'cheap', currency: 'EUR' })).toEqual({});
  });

  test('let no max price be taken away that a template was made with', () => {
    const draft: TemplateDraft = { ...good, category: 'MARKETING', currency: 'EUR' };
    expect(reasonsOf(draft, false, true)).toEqual({ 'max_price.amount': ['Required.'] });
    expect(reasonsOf({ ...draft, maxPrice: '0.05' }, false, true)).toEqual({});
  });

  test.each([
    ['The max price of a template is in the currency of its business account, EUR.', 'EUR'],
    ['Only a template that was created with a max price can change it.', 'Höchstpreis'],
    ['A template with a max price stays MARKETING.', 'Marketing'],
  ])('what only the server knows is in words of the reader too: %s', (reason, word) => {
    const words = ruleWords(reason, texts, problems);
    expect(words).not.toBe(reason);
    expect(words).toContain(word);
  });

  test('name the field, whatever stands before it', () => {
    const draft: TemplateDraft = { ...good, headerKind: 'TEXT', header: 'Hello', buttons: [button('URL', { url: 'alder' })] };
    expect(reasonsAt(reasonsOf(draft), fieldAt(draft, 'BUTTONS', 'buttons.0.url'))).toHaveLength(1);
    expect(reasonsAt(reasonsOf(draft), fieldAt(draft, 'BODY', 'text'))).toEqual([]);
  });

  test('keep the form of the values of a template that is changed', () => {
    expect(reasonsOf({ ...good, body: 'For {{1}}.', examples: { 'body:1': 'Ana' } }, true)).not.toEqual({});
    expect(reasonsOf({ ...good, body: 'For {{name}}.', examples: { 'body:name': 'Ana' } }, false)).not.toEqual({});
  });

  test('offer another button of a kind up to the most that WhatsApp takes', () => {
    expect(takesButton({ ...good, buttons: many('URL', 1) }, 'URL')).toBe(true);
    expect(takesButton({ ...good, buttons: many('URL', 2) }, 'URL')).toBe(false);
    expect(takesButton({ ...good, buttons: many('QUICK_REPLY', 10) }, 'COPY_CODE')).toBe(false);
    expect(takesButton({ ...good, buttons: [button('URL')] }, 'QUICK_REPLY')).toBe(true);
  });
});
