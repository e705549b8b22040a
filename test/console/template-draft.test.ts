import { expect, test } from 'vitest';
import { componentsFor } from '../../console/screens/templates/template-draft.ts';

const empty = { name: 'x', language: 'en', category: 'UTILITY' as const, header: '', footer: '', replies: '', examples: {} };

test('a template of a text alone is its body', () => {
  expect(componentsFor({ ...empty, body: ' Thank you ' })).toEqual([{ type: 'BODY', text: 'Thank you' }]);
});

test('numbered values have their examples in the order of the numbers, named ones by their names; empty lines are no replies', () => {
  expect(
    componentsFor({
      ...empty,
      header: 'For {{name}}',
      body: '{{2}} comes on {{1}}',
      footer: 'Reply STOP',
      replies: 'Yes\n\nNo\n',
      examples: { 'header:name': 'Ana', 'body:1': 'Monday', 'body:2': 'It' },
    }),
  ).toEqual([
    { type: 'HEADER', format: 'TEXT', text: 'For {{name}}', examples: { name: 'Ana' } },
    { type: 'BODY', text: '{{2}} comes on {{1}}', examples: ['Monday', 'It'] },
    { type: 'FOOTER', text: 'Reply STOP' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Yes' },
        { type: 'QUICK_REPLY', text: 'No' },
      ],
    },
  ]);
});
