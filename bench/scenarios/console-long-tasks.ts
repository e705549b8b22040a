import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ensureConsole } from '../../lib/console/ensure.ts';
import { type Console, startConsole } from '../../test/support/console.ts';
import { longestOfSeconds, recordLongTasks } from '../../test/support/long-tasks.ts';
import { addPeople, createSale, pause, whenAllRead } from '../running.ts';
import type { Figure, Scenario } from '../scenario.ts';

const recipients = Number(process.env['RECIPIENTS'] ?? 20_000);

export const scenario: Scenario = {
  name: 'console-long-tasks',
  description: `The console in Chromium on the machine that runs the product, while a campaign to ${recipients.toLocaleString('en')} is sent and read: the inbox with an open conversation, to which a customer writes each second, and the event log. The longest task of each second; the browser reports none below 50 ms`,
  deterministic: false,
  measure: async () => {
    await ensureConsole(join(import.meta.dirname, '../..'));
    await using swb = await startConsole();
    await addPeople(swb.product, recipients);
    const inbox = await swb.signIn();
    await writeAs(swb, 0, 'Good morning');
    await inbox.locator('.conversation').filter({ hasText: 'Good morning' }).click();
    await inbox.locator('.message').first().waitFor();
    const events = await inbox.context().newPage();
    await events.goto(`${swb.product.baseUrl}/console/developers`);
    await events.locator('.data-table').waitFor();
    const quiet = await measured(swb, { inbox, events }, () => pause(20_000));
    const campaign = await measured(swb, { inbox, events }, async () => {
      const id = await createSale(swb.product);
      await whenAllRead(swb.product, id, recipients, 7_200_000);
    });
    return [...figures('at rest', quiet), ...figures('campaign', campaign)];
  },
};

/** As one of the recipients: a customer beside them would be one more. */
const writeAs = (swb: Console, nth: number, words: string): Promise<void> => swb.write(`4915160${100_000 + nth}`, `Person ${nth}`, words);

type Measured = Record<'inbox' | 'events', Awaited<ReturnType<Awaited<ReturnType<typeof recordLongTasks>>['end']>>>;

async function measured(swb: Console, { inbox, events }: Record<'inbox' | 'events', Page>, work: () => Promise<void>): Promise<Measured> {
  const [ofInbox, ofEvents] = [await recordLongTasks(inbox), await recordLongTasks(events)];
  const over = new AbortController();
  const writing = (async () => {
    for (let nth = 0; !over.signal.aborted; nth++) {
      await writeAs(swb, nth % 50, `Question ${nth}`);
      await pause(1_000);
    }
  })();
  await work();
  over.abort();
  await writing;
  return { inbox: await ofInbox.end(), events: await ofEvents.end() };
}

const figures = (when: string, measuredPages: Measured): Figure[] =>
  Object.entries(measuredPages).flatMap(([page, { seconds, tasks }]): Figure[] => [
    {
      name: `${when}, ${page}, longest task of a second, p95`,
      unit: 'ms',
      value: Math.round(longestOfSeconds({ seconds, tasks }, 0.95)),
      ...(when === 'campaign' ? { atMost: 50 } : {}),
    },
    { name: `${when}, ${page}, longest task`, unit: 'ms', value: Math.round(Math.max(50, ...tasks.map(({ duration }) => duration))) },
    { name: `${when}, ${page}, long tasks a second`, unit: 'x', value: tasks.length / Math.max(1, seconds) },
  ]);
