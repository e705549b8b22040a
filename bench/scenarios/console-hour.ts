import { join } from 'node:path';
import { ensureConsole } from '../../lib/console/ensure.ts';
import { startConsole } from '../../test/support/console.ts';
import { openDesk, perHour, spend } from '../../test/support/console-hour.ts';
import { consoleHour, formerCalls } from '../console.ts';
import type { Scenario } from '../scenario.ts';

/** Minutes of the page's clock: after the first ones, in which it looks more often, a quiet hour goes on as the next ones do. */
const firstMinutes = 4;
const minutes = 10;

export const scenario: Scenario = {
  name: 'console-hour',
  description: `The console in Chromium with an open conversation, on a clock that the measurement moves: the calls of an hour in which nothing happens, and of hours in which customers write once or twenty times a minute, from ${minutes} minutes of each, without the doorbell and with it`,
  deterministic: false,
  measure: async () => {
    await ensureConsole(join(import.meta.dirname, '../..'));
    await using swb = await startConsole();
    const page = await openDesk(swb);
    const first = await spend(swb, page, firstMinutes, 'quiet');
    const later = await spend(swb, page, minutes, 'quiet');
    const quiet = Math.round(first.calls + (later.calls / minutes) * (60 - firstMinutes));
    const one = perHour(await spend(swb, page, minutes, 'one a minute'));
    const twenty = perHour(await spend(swb, page, minutes / 2, 'twenty a minute'));
    await page.context().close();
    const rung = await openDesk(swb, { isRung: true });
    await spend(swb, rung, firstMinutes, 'quiet');
    const quietRung = perHour(await spend(swb, rung, minutes, 'quiet'));
    const oneRung = perHour(await spend(swb, rung, minutes, 'one a minute'));
    const twentyRung = perHour(await spend(swb, rung, minutes / 2, 'twenty a minute'));
    return [
      { name: consoleHour.quiet, unit: 'calls', value: quiet, atMost: 0.15 * formerCalls },
      { name: consoleHour.one, unit: 'calls', value: one, atMost: 0.25 * formerCalls },
      { name: consoleHour.twenty, unit: 'calls', value: twenty, atMost: 0.25 * formerCalls },
      { name: consoleHour.quietRung, unit: 'calls', value: quietRung, atMost: 0.06 * formerCalls },
      { name: consoleHour.oneRung, unit: 'calls', value: oneRung, atMost: 0.15 * formerCalls },
      { name: consoleHour.twentyRung, unit: 'calls', value: twentyRung, atMost: 0.25 * formerCalls },
    ];
  },
};
