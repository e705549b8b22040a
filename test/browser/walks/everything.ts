import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { apiStates, Presser } from '../../support/press-everything.ts';
import { isFullSize } from '../../support/run-size.ts';
import { screens } from '../../support/screens.ts';
import { sharedProduct } from '../../support/shared-product.ts';
import { type ApiState, standInFor } from '../../support/stand-in-api.ts';

/**
 * Every control of every screen is used at least once, in each state in which the API may be: nothing breaks, no focus is lost, nothing is requested without
 * end, and each page has a way on. The controls are those of the rendered page; the API is made of the OpenAPI document.
 */
let swb: Console;
beforeAll(async () => {
  swb = await startConsole(sharedProduct(2));
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

/** In the quick form a screen is used with many rows, and in one of the other states, where it presses what it did not have before; in the whole form everything in each state. */
const statesOf = (nth: number): [string, ApiState][] => {
  const [first, ...others] = Object.entries<ApiState>(apiStates);
  return [first, ...others]
    .filter((each) => each !== undefined)
    .filter((_, index) => isFullSize() || index === 0 || index === 1 + (nth % others.length));
};

/** Of a screen in a state, in the quick form: enough for what stands on it and opens from it first. */
const mostTurns = 40;

/** What was used of the frame, on whatever screen: in the whole form in each state. */
const frames = new Map<string, Set<string>>();
const frameIn = (state: string): Set<string> => {
  const frame = frames.get(isFullSize() ? state : '') ?? new Set();
  frames.set(isFullSize() ? state : '', frame);
  return frame;
};

const addresses: string[] = Object.values(screens);

test.concurrent.for(addresses)(
  '%s: every control in every state does something, and nothing breaks',
  { timeout: isFullSize() ? 7_200_000 : 600_000 },
  async (path) => {
    const findings: string[] = [];
    const unreached: string[] = [];
    let screen = new Set<string>();
    for (const [name, state] of statesOf(addresses.indexOf(path))) {
      // in each state as a browser that was not here before: what was chosen in another state is kept
      const page = await swb.open();
      page.setDefaultTimeout(15_000);
      const { calls } = await standInFor(page, state);
      const url = `${swb.product.baseUrl}/console${path}`;
      if (isFullSize()) screen = new Set();
      const pressed = await new Presser(page, url, calls, { screen, frame: frameIn(name) }, state.calls !== 'unanswered').run(
        isFullSize() ? 2_000 : mostTurns,
      );
      process.stdout.write(`${path}, ${name}: ${pressed.controls} controls in ${pressed.scopes} layers\n`);
      if (process.env['SHOW_FINDINGS'])
        process.stdout.write(
          [...pressed.findings, ...pressed.unreached.map((each) => `unreached: ${each}`)]
            .map((each) => `  FOUND ${name}: ${each}\n`)
            .join(''),
        );
      unreached.push(...pressed.unreached.map((each) => `${name}: ${each}`));
      findings.push(...pressed.findings.map((each) => `${name}: ${each.replace(swb.product.baseUrl, '')}`));
      await page.context().close();
    }
    expect(findings).toEqual([]);
    // what is seen in passing needs the time of the whole form
    if (isFullSize()) expect(unreached).toEqual([]);
  },
);
