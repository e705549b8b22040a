import { expect, test } from 'vitest';
import { placeIn } from '../../console/screens/inbox/place.ts';
import { seeded } from '../support/random.ts';

test.each([
  ['52.5163, 13.3777', 52.5163, 13.3777],
  [' -33.86 151.21 ', -33.86, 151.21],
  ['0,0', 0, 0],
  ['geo:52.5163,13.3777?z=17', 52.5163, 13.3777],
  ['https://www.google.com/maps/@52.5163,13.3777,17z', 52.5163, 13.3777],
  ['https://maps.google.com/?q=52.5163,13.3777', 52.5163, 13.3777],
  ['https://www.google.com/maps/search/?api=1&query=52.5163%2C13.3777', 52.5163, 13.3777],
  ['https://maps.apple.com/?ll=52.5163,13.3777&q=Gate', 52.5163, 13.3777],
  ['https://www.google.com/maps/place/Gate/@52.5,13.3,17z/data=!4m6!3d52.5163!4d13.3777', 52.5163, 13.3777],
])('%s is a place', (text, latitude, longitude) => {
  expect(placeIn(text)).toEqual({ latitude, longitude });
});

test.each(['', 'Pariser Platz 1', '91, 13', '52, 181', '52.5', '+49 30 1234567', '030,12345,6', 'https://example.com/@home'])(
  '%j is none',
  (text) => {
    expect(placeIn(text)).toBeUndefined();
  },
);

test('any place on earth is read as it is written', () => {
  const random = seeded(7);
  for (let nth = 0; nth < 2_000; nth++) {
    const place = { latitude: Number((random() * 180 - 90).toFixed(6)), longitude: Number((random() * 360 - 180).toFixed(6)) };
    expect(placeIn(`${place.latitude}, ${place.longitude}`)).toEqual(place);
  }
});
