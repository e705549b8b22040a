import type { BrowserContext, Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import * as z from 'zod';
import type { Console } from './console.ts';
import { composer, messageOf } from './inbox-page.ts';
import type { RunningProduct } from './product.ts';
import { productIn } from './product.ts';
import { type Random, seeded } from './random.ts';

/** Who can sign in: two users of each of two companies. */
interface DemoUser {
  company: 1 | 2;
  role: 'Owner' | 'Admin';
}
const demoUsers: readonly DemoUser[] = [
  { company: 1, role: 'Owner' },
  { company: 1, role: 'Admin' },
  { company: 2, role: 'Owner' },
  { company: 2, role: 'Admin' },
];
const nameOf = ({ company, role }: DemoUser): string => `${company}-${role}`;
/** A text names the user who wrote it. */
const unsentTraces = /trace-([12]-(?:Owner|Admin))-(?!sent)/g;
/** What was sent stands in the thread of the company, for every user of it. */
const sentTraces = /trace-([12])-(?:Owner|Admin)-sent/g;
const allTraces = /trace-([12]-(?:Owner|Admin))-/g;
const namesIn = (text: string, whose: RegExp): string[] => [...new Set(Array.from(text.matchAll(whose), ([, name = '']) => name))];
const writersIn = (text: string): string[] => namesIn(text, allTraces);

/** A conversation of both companies that has the same number in both, in which both customers wrote lately. */
export const sharedConversation = async (first: RunningProduct, second: RunningProduct): Promise<number> => {
  const write = async ({ companyId, control }: RunningProduct, from: string): Promise<void> => {
    const body = { company_id: companyId, from, name: `Customer ${from}`, type: 'text', text: 'Hello' };
    expect((await control('POST', 'provider/inbound', body)).status).toBe(200);
  };
  const listed = async ({ api }: RunningProduct) => (await api.conversations.list({ query: { limit: 100 } })).data;
  for (let nth = 10; nth < 60; nth++) {
    const theirs = new Map((await listed(second)).map((each) => [each.id, each]));
    for (const { id, contact } of await listed(first)) {
      const other = theirs.get(id);
      if (!other || contact.phone === '' || other.contact.phone === '') continue;
      await write(first, contact.phone);
      await write(second, other.contact.phone);
      await first.idle();
      return id;
    }
    for (const product of [first, second]) await write(product, `49157800000${nth}`);
    await first.idle();
  }
  throw new Error('No conversation of one company has the number of one of the other.');
};

/** Of texts, and of the files that go with them. */
const sends = '**/api/v1/messages/*';

const stepsOfWalk = 7;
const noticedWithinMs = 20_000;

/** One walk: what is done next is made by a seed, and after each step every tab is looked at. */
export class SessionWalk implements AsyncDisposable {
  /** What was done, for the report of a walk that found something. */
  readonly story: string[] = [];
  readonly #random: Random;
  readonly #swb: Console;
  readonly #conversation: number;
  readonly #context: BrowserContext;
  readonly #tabs: Page[];
  /** Calls that carried what another user wrote. */
  readonly #wrongCalls: string[] = [];
  #signedIn: DemoUser | undefined;
  /** Whose session ended by itself: what they wrote waits for them. */
  #waitsFor: DemoUser | undefined;
  #written = 0;
  readonly #seed: number;
  /** Files that were attached in this walk, by whom, and those that went with a text: they stand in the thread of the company from then on. */
  #attached: { by: DemoUser; file: string }[] = [];
  readonly #sentFiles: string[] = [];

  private constructor(swb: Console, conversation: number, seed: number, tabs: Page[], context: BrowserContext) {
    this.#swb = swb;
    this.#conversation = conversation;
    this.#seed = seed;
    this.#random = seeded(seed);
    this.#tabs = tabs;
    this.#context = context;
    context.on('request', (request) => this.#look(request));
  }

  static async begin(swb: Console, conversation: number, seed: number): Promise<SessionWalk> {
    const first = await swb.open();
    const context = first.context();
    const tabs = seed % 2 === 0 ? [first, await context.newPage()] : [first];
    for (const tab of tabs) tab.on('dialog', (dialog) => void dialog.accept());
    return new SessionWalk(swb, conversation, seed, tabs, context);
  }

  /**
   * Walks, and says what of a user was where it must not be. `crashed`: the process of a tab ended, which Chromium 150 and 156 do now and then where two tabs
   * load pages for one sign-in at once; nothing can be seen in it any more, and nothing called of it returns.
   */
  async run(): Promise<string[] | 'crashed'> {
    const crash = Promise.race(this.#tabs.map((tab) => new Promise<'crashed'>((resolve) => tab.once('crash', () => resolve('crashed')))));
    return Promise.race([this.#walk(), crash]);
  }

  async #walk(): Promise<string[]> {
    await this.#signIn();
    for (let step = 0; step < stepsOfWalk; step++) {
      const found = await this.#findings();
      if (found.length > 0) return found;
      await this.#step();
    }
    return [...(await this.#findings()), ...this.#wrongCalls, ...(await this.#sentByOthers())];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
  }

  #pick<T>(of: readonly T[]): T {
    const one = of[Math.floor(this.#random() * of.length)];
    if (one === undefined) throw new Error('There is nothing to pick from.');
    return one;
  }

  async #step(): Promise<void> {
    if (!this.#signedIn) return this.#random() < 0.8 ? this.#signIn() : this.#reload();
    const what = this.#pick([
      'sign in',
      'sign in',
      'sign out',
      'sign out',
      'end',
      'reload',
      'draft',
      'note',
      'attach',
      'fail',
      'send',
    ] as const);
    switch (what) {
      case 'sign in':
        return this.#signIn();
      case 'sign out':
        return this.#signOut();
      case 'end':
        return this.#endSession();
      case 'reload':
        return this.#reload();
      default:
        return this.#write(what);
    }
  }

  /** Over the user who is signed in, as a tab does that was left on the sign-in page. */
  async #signIn(): Promise<void> {
    const [tab, who] = [this.#pick(this.#tabs), this.#pick(demoUsers)];
    this.story.push(`${nameOf(who)} signs in`);
    await tab.goto(`${this.#swb.product.baseUrl}/console/sign-in`);
    await tab
      .getByRole('button', { name: who.role })
      .nth(who.company - 1)
      .click();
    await tab.locator('.inbox').waitFor();
    this.#signedIn = who;
    this.#waitsFor = undefined;
  }

  async #signOut(): Promise<void> {
    const tab = await this.#tabInside();
    this.story.push('signs out');
    await tab.getByRole('button', { name: /^Your account/ }).click();
    await tab.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await tab.locator('.sign-in .tile').first().waitFor();
    this.#signedIn = undefined;
    this.#waitsFor = undefined;
  }

  async #endSession(): Promise<void> {
    const tab = await this.#tabInside();
    this.story.push('the session ends');
    await this.#context.clearCookies();
    await tab.locator('.sign-in .tile').first().waitFor();
    this.#waitsFor = this.#signedIn;
    this.#signedIn = undefined;
  }

  async #reload(): Promise<void> {
    this.story.push('reloads');
    await this.#pick(this.#tabs).reload();
  }

  /** Leaves something of the user: on the screen, in the browser's storage, or on its way to the customer. */
  async #write(what: 'draft' | 'note' | 'attach' | 'fail' | 'send'): Promise<void> {
    if (!this.#signedIn) return;
    const tab = await this.#tabInside();
    const text = `trace-${nameOf(this.#signedIn)}-${what === 'send' || what === 'fail' ? `sent-${what}` : what}-${this.#seed}.${++this.#written}`;
    this.story.push(`${what} ${text}`);
    await tab.goto(`${this.#swb.product.baseUrl}/console/inbox/${this.#conversation}`);
    await composer(tab).waitFor();
    if (what === 'note') {
      await tab.getByRole('tab', { name: 'Note' }).click();
      return tab.getByRole('textbox', { name: 'Note' }).fill(text);
    }
    if (what === 'attach') {
      const file = { name: `${text}.txt`, mimeType: 'text/plain', buffer: Buffer.from(text) };
      await tab.locator('input[type=file]').setInputFiles(file);
      this.#attached.push({ by: this.#signedIn, file: text });
      return tab.locator('.attachments').getByText(file.name).waitFor();
    }
    if (what === 'fail') await this.#context.route(sends, (route) => route.abort('connectionreset'));
    await composer(tab).fill(text);
    if (what === 'draft') return;
    this.#filesGo(what);
    await composer(tab).press('Enter');
    // one that is sent may be on its way when the next step begins
    if (what === 'send') return;
    await messageOf(tab, text).getByRole('button', { name: 'Try again' }).waitFor();
    await this.#context.unroute(sends);
  }

  /** Without what the company of the reader has sent: files of this walk, and all of earlier ones, of which this browser has nothing but what the product shows. */
  #withoutSent(seen: string): string {
    const own = `trace-${this.#signedIn?.company}-`;
    const sent = (trace: string): boolean =>
      trace.startsWith(own) && (!trace.includes(`-${this.#seed}.`) || this.#sentFiles.includes(trace));
    return seen.replaceAll(/trace-[12]-(?:Owner|Admin)-[a-z-]+-\d+\.\d+/g, (trace) => (sent(trace) ? '' : trace));
  }

  /** Files go with the text. One that fails is its user's alone, as its files are. */
  #filesGo(how: 'send' | 'fail'): void {
    const own = this.#attached.filter(({ by }) => by === this.#signedIn);
    this.#attached = this.#attached.filter((each) => !own.includes(each));
    if (how === 'send') this.#sentFiles.push(...own.map(({ file }) => file));
  }

  /** A tab in which the user who is signed in is at work. */
  async #tabInside(): Promise<Page> {
    const tab = this.#pick(this.#tabs);
    if ((await tab.locator('.inbox').count()) === 0) await tab.goto(`${this.#swb.product.baseUrl}/console/inbox`);
    await tab.locator('.inbox').waitFor();
    return tab;
  }

  /** A call names the user of its page, and carries nothing of another one. */
  #look(request: Request): void {
    const caller = request.headers()['x-session'];
    if (caller === undefined) return;
    for (const writer of writersIn(`${request.url()} ${request.postData() ?? ''}`))
      if (this.#sessionOf(writer) !== caller) this.#wrongCalls.push(`${caller} called ${request.url()} with what ${writer} wrote`);
  }

  #sessionOf(writer: string): string {
    const [company = '', role = ''] = writer.split('-');
    const demo = this.#swb.product.demo.companies[Number(company) - 1];
    return `${demo?.id}:${demo?.users[role.toLowerCase() as 'owner' | 'admin']}`;
  }

  /** What of others is seen or storedFor, once every tab had the time to notice. */
  async #findings(): Promise<string[]> {
    const own = this.#signedIn && nameOf(this.#signedIn);
    const storedFor = own ?? (this.#waitsFor && nameOf(this.#waitsFor));
    const look = async (): Promise<string[]> => {
      const found = [];
      for (const [nth, tab] of this.#tabs.entries()) {
        if (!tab.url().startsWith('http')) continue;
        const { seen, stored } = await everythingIn(tab);
        for (const writer of namesIn(this.#withoutSent(seen), unsentTraces))
          if (writer !== own) found.push(`tab ${nth} shows what ${writer} wrote`);
        for (const company of namesIn(seen, sentTraces))
          if (company !== String(this.#signedIn?.company)) found.push(`tab ${nth} shows what company ${company} sent`);
        for (const writer of writersIn(stored)) if (writer !== storedFor) found.push(`tab ${nth} keeps what ${writer} wrote`);
      }
      return found;
    };
    const until = performance.now() + noticedWithinMs;
    for (let found = await look(); ; found = await look()) if (found.length === 0 || performance.now() > until) return found;
  }

  /** Of what was sent in this walk, what another user or another company sent. */
  async #sentByOthers(): Promise<string[]> {
    const found = [];
    for (const company of [1, 2] as const) {
      const { api, demo } = productIn(this.#swb.product.folder, company);
      const { data } = await api.conversations.listMessages({ params: { id: this.#conversation }, query: { limit: 200 } });
      for (const { value, sent_by: by } of data)
        for (const writer of writersIn(value)) {
          const [of, role = ''] = writer.split('-');
          const user = demo.companies[company - 1]?.users[role.toLowerCase() as 'owner' | 'admin'];
          if (of !== String(company) || by?.user_id !== user)
            found.push(`company ${company}, user ${by?.user_id} sent what ${writer} wrote`);
        }
      const { body } = await this.#swb.product.control('GET', `provider/messages?company_id=${demo.companies[company - 1]?.id}`);
      for (const { payload } of accepted.parse(body).data)
        for (const writer of writersIn(JSON.stringify(payload)))
          if (!writer.startsWith(`${company}-`)) found.push(`the provider has of company ${company} what ${writer} wrote`);
    }
    return found;
  }
}

const accepted = z.object({ data: z.array(z.object({ payload: z.unknown() })) });
const everything = z.object({ seen: z.string(), stored: z.string() });

/** All that is on a page and in what its scripts could read. A page that is just being left is looked at again. */
const everythingIn = async (tab: Page): Promise<z.output<typeof everything>> => {
  for (let attempt = 1; ; attempt++)
    try {
      return everything.parse(await tab.evaluate(readEverything));
    } catch (error) {
      if (attempt === 20) throw error;
      await tab.waitForLoadState('domcontentloaded');
    }
};

const readEverything = `(async () => {
  const files = [];
  const names = (await indexedDB.databases()).map(({ name }) => name);
  const done = (request) => new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error); });
  for (const name of names) {
    const database = await done(indexedDB.open(name));
    for (const table of database.objectStoreNames) {
      const keys = await done(database.transaction(table).objectStore(table).getAllKeys());
      const values = await done(database.transaction(table).objectStore(table).getAll());
      for (const value of values.flat()) files.push(value instanceof Blob ? value.name + ' ' + await value.text() : JSON.stringify(value));
      files.push(keys.join());
    }
    database.close();
  }
  const isShown = document.documentElement.style.display !== 'none';
  return {
    stored: JSON.stringify([{ ...localStorage }, { ...sessionStorage }, files]),
    seen: isShown ? JSON.stringify([document.documentElement.outerHTML, location.href, history.state, document.title,
      [...document.querySelectorAll('input, textarea')].map(({ value }) => value)]) : '',
  };
})()`;
