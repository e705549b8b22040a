import { expect, test } from 'vitest';
import { watermarks, setClockBack } from '../../lib/local/set-back.ts';
import shapes from '../golden/stored-shapes.generated.json' with { type: 'json' };

test('every watermark that is lowered is a whole number of an item that the product stores', () => {
  const stored = Object.entries(shapes).map(([kind, attributes]) => [kind, Object.entries(attributes)] as const);
  for (const { kind, attributes } of watermarks) {
    const known = stored.find(([name]) => name === `item ${kind}`)?.[1] ?? [];
    for (const attribute of attributes)
      expect(known, `${kind} ${attribute}`).toContainEqual([attribute, expect.objectContaining({ types: ['integer'] })]);
  }
});

test('while work is in hand nothing is set back, and the answer says what is left', async () => {
  const moves: string[] = [];
  const note = (what: string) => () => void moves.push(what);
  const left = await setClockBack(
    {
      clock: { now: () => 0, offset: () => 1, setOffset: () => undefined, setBack: note('clock') },
      schedules: {
        tick: () => Promise.resolve(),
        nextAt: () => undefined,
        holding: (work) => work(),
        setBack: note('schedules'),
        start: () => undefined,
        stop: () => undefined,
      },
      places: { queues: () => [], streams: () => [], running: () => 1, delivering: () => 0, webhooks: () => 0 },
      lower: () => Promise.resolve(note('watermarks')()),
      renew: () => Promise.resolve(note('functions')()),
    },
    50,
  );
  expect([left, moves]).toEqual([{ 'functions running': 1 }, []]);
});
