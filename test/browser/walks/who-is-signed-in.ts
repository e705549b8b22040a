import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { firstSeed, runSize } from '../../support/run-size.ts';
import { seedsFrom } from '../../support/random.ts';
import { SessionWalk, sharedConversation } from '../../support/session-walk.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** Two companies with two users each in one browser, who sign in and out in any order, in one tab or two: nothing of one is on the other's screen, kept for them or sent by them. */
let swb: Console;
let conversation: number;
let crashes = 0;

beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  conversation = await sharedConversation(swb.product, sharedProduct(2));
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

test.each(seedsFrom(firstSeed, runSize(2, 200)))('walk %i', { timeout: 300_000 }, async (seed) => {
  for (let tries = 1; ; tries++) {
    await using walk = await SessionWalk.begin(swb, conversation, seed);
    const found = await walk.run();
    // the browser's own end is none of the walk: the same way again
    if (found === 'crashed' && tries < 4) {
      crashes++;
      continue;
    }
    expect(found, walk.story.join(', ')).toEqual([]);
    return;
  }
});

afterAll(() => process.stdout.write(`${crashes} walks began again, as the browser ended a tab\n`));

test('the browser complains of nothing but sessions that ended, and asks nothing of another host', () => {
  expect(swb.foreign).toEqual([]);
  expect(swb.complaints.filter((each) => !/status of 40[149]|doorbell' failed: HTTP Authentication failed/.test(each))).toEqual([]);
});
