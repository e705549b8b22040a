import { expect, test } from 'vitest';
import { typedPhone } from '../../console/screens/inbox/typed-phone.ts';

test.each([
  ['+49 151 2345-6789', '4915123456789'],
  ['0049 (151) 23456789', '4915123456789'],
  [' 4915123456789 ', '4915123456789'],
  ['+1.415.555.0100', '14155550100'],
])('%s is a phone with its country code', (typed, phone) => {
  expect(typedPhone(typed)).toBe(phone);
});

test.each(['', 'Ada', '4711', '+49 151', 'Order 4915123456789', '0151 23456789', '+4915123456789012345', '()-./'])(
  '%s makes no new contact',
  (typed) => {
    expect(typedPhone(typed)).toBeUndefined();
  },
);
