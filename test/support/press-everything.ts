import type { Page } from 'playwright-core';
import {
  type About,
  type Control,
  findWrongs,
  type Layer,
  lostFocus,
  pageContents as contents,
  prepareControl,
  readLayer,
  readStored,
  restoreStored,
} from './pressables.ts';
import type { ApiState } from './stand-in-api.ts';

/** What was pressed, and what was wrong with it. */
export interface Pressed {
  controls: number;
  scopes: number;
  findings: string[];
  /** Controls that were seen and not used. */
  unreached: string[];
}

const pathOf = (url: string): string => new URL(url).pathname;

/** Calls of one address in a few seconds, from which on a page requests without end. */
const mostCalls = 25;
const withinMs = 4_000;

const isOfNavigation = (error: unknown): boolean => /context was destroyed|navigation/i.test(String(error));

/** A use of a control, such that it can be done again: which choice was chosen. */
interface Step {
  sign: string;
  choice: number;
}

/** A control that was seen. */
interface Seen {
  /** Ways to it from the screen as it is opened, the likeliest first, each tried once. */
  readonly ways: readonly Step[][];
  /** How many of the ways were tried; and whether the likeliest was, without opening the screen again. */
  tried: number;
  wasTriedHere: boolean;
  /** When it was seen first: what came last is used first, before it is gone. */
  turn: number;
}

/** Choices of a list that are chosen one after another: each may show other fields. */
const mostChoices = 4;

/** Steps of a way that is walked again: what is longer than that hardly leads there twice. */
const longestWay = 60;

/**
 * Uses every control of a screen, and of what opens over it, as it is rendered: nothing is named here. Buttons and links are pressed by keys, fields are
 * filled in, choices chosen; what a press shows is used in the same way. What was seen in passing is gone to again, by the steps that showed it.
 */
export class Presser {
  readonly #page: Page;
  readonly #path: string;
  readonly #calls: { method: string; path: string; at: number }[];
  readonly #used: { screen: Set<string>; frame: Set<string> };
  readonly #isAnswered: boolean;
  readonly #seen = new Map<string, Seen>();
  /** How often of each list a choice was chosen. */
  readonly #chosen = new Map<string, number>();
  /** The steps since the screen was opened, and since the layer that is on top. */
  #walked: Step[] = [];
  #inLayer: { scope: string; opener: Step[]; steps: Step[] } = { scope: '', opener: [], steps: [] };
  #language: string | undefined;
  /** What the browser kept when the screen was opened first: what is chosen is kept, as which parts are open. */
  #stored: string | undefined;
  readonly #findings = new Set<string>();
  readonly #complaints: string[] = [];
  readonly #scopes = new Set<string>();
  #pressed = 0;

  /**
   * @param used what need not be used here: controls of the screen, and those of the frame, which every screen has
   * @param isAnswered whether calls are answered, be it by a refusal
   */
  constructor(
    page: Page,
    path: string,
    calls: { method: string; path: string; at: number }[],
    used: { screen: Set<string>; frame: Set<string> },
    isAnswered: boolean,
  ) {
    [this.#page, this.#path, this.#calls, this.#used, this.#isAnswered] = [page, path, calls, used, isAnswered];
    page.on('pageerror', (error) => this.#complaints.push(`an error: ${error.message}`));
    page.on('console', (message) => {
      // what a page answers in words: refusals that the state of the API makes
      if (message.type() === 'error' && !/status of (4\d\d|50\d)|ERR_(CONNECTION|INTERNET|FAILED)/.test(message.text()))
        this.#complaints.push(`the console: ${message.text().slice(0, 300)}`);
    });
    page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined));
    page.context().on('page', (other) => void (other === page || other.close().catch(() => undefined)));
  }

  /** @param most uses of controls, after which it ends */
  async run(most: number): Promise<Pressed> {
    await this.#open();
    this.#stored = await this.#page.evaluate<string>(readStored);
    this.#note('opening it', await this.#wrongs(false));
    while (this.#pressed < most) {
      const layer = await this.#look();
      const next = this.#nextOf(layer);
      if (next) await this.#use(next, layer);
      else if (layer.isOver) await this.#leave(layer);
      // what came late is seen before the walk ends
      else if (!(await this.#goBackTo()) && !this.#nextOf(await this.#atRest())) break;
    }
    return {
      unreached: [...this.#seen.keys()].filter((sign) => !this.#has(sign)),
      controls: this.#pressed,
      scopes: this.#scopes.size,
      findings: [...this.#findings].map((each) => `${this.#path} ${each}`),
    };
  }

  #setOf(sign: string): Set<string> {
    return sign.startsWith('frame') ? this.#used.frame : this.#used.screen;
  }

  #has(sign: string): boolean {
    return this.#setOf(sign).has(sign);
  }

  /** What is used next: of what came last, in a dialog fields before buttons; on a page what a filter would hide before it; and at last what leads away. */
  #nextOf({ controls, isOver }: Layer): Control | undefined {
    const isField = ({ kind }: Control): boolean => kind !== 'press' && kind !== 'mouse';
    const turnOf = ({ sign }: Control): number => this.#seen.get(sign)?.turn ?? 0;
    const rank = (control: Control): number => (control.leaves ? 2 : isField(control) === isOver ? 0 : 1);
    const unused = controls.filter(({ sign }) => !this.#has(sign));
    return unused.toSorted((a, b) => rank(a) - rank(b) || turnOf(b) - turnOf(a) || a.index - b.index)[0];
  }

  async #open(): Promise<void> {
    // a page that is on its way elsewhere, as after signing in, is not waited for
    for (let tries = 0; ; tries++) {
      const failed = await this.#page.goto(this.#path).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failed === undefined) break;
      if (tries === 3) throw failed;
      await this.#page.waitForTimeout(200);
    }
    await this.#page.locator(contents).first().waitFor();
    await this.#drawn(true);
    this.#walked = [];
    this.#inLayer = { scope: '', opener: [], steps: [] };
    await this.#atRest();
  }

  /** Until what is read first is there, or it is plain that it never will be: the console tries twice. */
  async #atRest(): Promise<Layer> {
    const until = Date.now() + (this.#isAnswered ? 4_000 : 500);
    for (let before = -1; ; ) {
      const layer = await this.#look();
      const isRead = await this.#page.evaluate<boolean>(
        `[...document.querySelectorAll('.skeleton')].every((each) => !each.checkVisibility())`,
      );
      if ((isRead && layer.controls.length === before) || Date.now() > until) return layer;
      before = layer.controls.length;
      await this.#drawn(true);
    }
  }

  /** To the screen from another one, in the document that is there. */
  async #comeBack(): Promise<void> {
    await this.#page.evaluate(`history.pushState({}, '', ${JSON.stringify(this.#path)})`);
    await this.#drawn(true);
    if (pathOf(this.#page.url()) !== pathOf(this.#path)) await this.#open();
  }

  /** Until what was requested is answered and drawn. */
  async #drawn(isWhole = false): Promise<void> {
    await this.#page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, ${isWhole ? 150 : 40})))`);
  }

  /** Until what opens is open: its part of the program may have to be loaded. */
  async #opened(opens: boolean): Promise<void> {
    const isOnItsWay = opens ? 'true' : `document.querySelector('.scrim') !== null && document.querySelector('.scrim [role]') === null`;
    if (!(await this.#page.evaluate<boolean>(isOnItsWay))) return;
    await this.#page
      .locator('.scrim [role=dialog], .popover')
      .first()
      .waitFor({ timeout: 3_000 })
      .catch(() => undefined);
    await this.#drawn();
  }

  async #look(): Promise<Layer> {
    const layer = await this.#page.evaluate<Layer>(readLayer).catch(async (error: unknown) => {
      // a page with a document of its own is loaded anew, a moment after it was gone to
      if (!isOfNavigation(error)) throw error;
      await this.#open();
      return this.#page.evaluate<Layer>(readLayer);
    });
    this.#scopes.add(layer.scope);
    this.#language ??= layer.language;
    // in another language everything is called otherwise
    if (layer.language !== this.#language) return layer;
    const [last = [], ...earlier] = this.#walked
      .slice(-3)
      .toReversed()
      .map((step) => [...(this.#seen.get(step.sign)?.ways[0] ?? []), step]);
    if (layer.scope !== this.#inLayer.scope) this.#inLayer = { scope: layer.scope, opener: layer.isOver ? last : [], steps: [] };
    // mostly the step before showed it, and what is loaded first may come some steps later
    const ways = [last, ...earlier, [...this.#inLayer.opener, ...this.#inLayer.steps], this.#walked]
      .map((way) => way.slice(-longestWay))
      .filter((way, index, all) => all.findIndex((other) => JSON.stringify(other) === JSON.stringify(way)) === index);
    for (const { sign, isPassing } of layer.controls)
      if (!this.#seen.has(sign) && !isPassing) this.#seen.set(sign, { ways, tried: 0, wasTriedHere: false, turn: this.#pressed });
    return layer;
  }

  async #use(control: Control, layer: Layer): Promise<void> {
    const { sign, kind, options } = control;
    if (kind !== 'choose') return this.#do({ sign, choice: 0 }, control, layer);
    // the last choice first: the first one is the one that stands there
    const nth = this.#chosen.get(sign) ?? 0;
    this.#chosen.set(sign, nth + 1);
    const isLast = nth + 1 >= Math.min(options, mostChoices);
    return this.#do({ sign, choice: Math.max(0, options - 1 - nth) }, control, layer, isLast);
  }

  async #do(step: Step, { sign, index, kind, leaves }: Control, layer: Layer, isLast = true): Promise<void> {
    if (process.env['SHOW_STEPS']) process.stdout.write(`  ${layer.scope} | ${sign}\n`);
    if (isLast) this.#setOf(sign).add(sign);
    this.#pressed++;
    this.#walked.push(step);
    this.#inLayer.steps.push(step);
    const from = this.#page.url();
    const about = await this.#page.evaluate<About>(prepareControl(index, kind !== 'mouse' && kind !== 'file'));
    try {
      await this.#act(index, kind, step.choice, about);
    } catch (error) {
      this.#findings.add(`${sign}: cannot be used: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
    }
    try {
      await this.#drawn(leaves);
      // where it is a document of its own, that has to be loaded
      if (leaves)
        await this.#page
          .locator(contents)
          .first()
          .waitFor({ timeout: 5_000 })
          .catch(() => undefined);
      await this.#opened(about.opens);
      this.#note(sign, await this.#wrongs(kind === 'press'));
      // another screen, which has a walk of its own
      if (pathOf(this.#page.url()) !== pathOf(from)) return await this.#comeBack();
      const after = await this.#look();
      if (after.language !== this.#language) return await this.#open();
    } catch (error) {
      // another document was loaded, as signing out does
      if (!isOfNavigation(error)) throw error;
      await this.#open();
    }
  }

  async #act(index: number, kind: Control['kind'], choice: number, { type, readOnly }: About): Promise<void> {
    const { keyboard } = this.#page;
    if (kind === 'mouse') return this.#page.evaluate(`globalThis.pressable[${index}].click()`);
    if (kind === 'press') return keyboard.press('Enter');
    if (kind === 'check') return keyboard.press('Space');
    const handle = (await this.#page.evaluateHandle(`globalThis.pressable[${index}]`)).asElement();
    if (!handle) return;
    if (kind === 'file')
      return handle.setInputFiles({ name: 'picture.png', mimeType: 'image/png', buffer: Buffer.from('iVBORw0KGgo=', 'base64') });
    if (kind === 'choose') {
      // those that cannot be chosen now stand between the others
      const places = await this.#page.evaluate<number[]>(
        `[...globalThis.pressable[${index}].options].flatMap((option, place) => (option.disabled ? [] : [place]))`,
      );
      await handle.selectOption({ index: places[choice] ?? 0 });
      return;
    }
    if (readOnly) return;
    const values: Readonly<Record<string, string>> = {
      number: '45',
      email: 'kim@alder.example',
      url: 'https://example.com/hook',
      date: '2026-11-20',
      time: '10:00',
      'datetime-local': '2026-11-20T10:00',
    };
    await handle.fill(values[type] ?? '+49 30 1234567');
  }

  /** Closes what lies over the screen: by Escape, by its question, and at last by loading the page again. */
  async #leave({ scope }: Layer): Promise<void> {
    await this.#page.keyboard.press('Escape');
    await this.#drawn();
    const after = await this.#look();
    if (after.scope !== scope) return this.#note(`Escape from ${scope}`, await this.#wrongs(true));
    if (this.#nextOf(after)) return;
    await this.#open();
  }

  /** Goes to a control that was seen and not used, by the next of the ways to it; whether there was one. */
  async #goBackTo(): Promise<boolean> {
    for (const [sign, seen] of this.#seen) {
      if (this.#has(sign)) continue;
      const [likeliest = []] = seen.ways;
      // from where the screen is now; and then from the screen as it was opened first
      const isHere = !seen.wasTriedHere && likeliest.length > 0;
      const way = isHere ? likeliest : seen.ways[seen.tried++];
      if (!way) continue;
      seen.wasTriedHere = true;
      if (process.env['SHOW_STEPS']) process.stdout.write(`  back to ${sign}, by ${way.length} steps${isHere ? ' from here' : ''}\n`);
      if (!isHere) {
        await this.#page.evaluate(restoreStored(this.#stored ?? '[]'));
        await this.#open();
      }
      for (const step of way) {
        const { layer, control } = await this.#find(step.sign);
        if (control) await this.#do(step, control, layer, false);
        else if (isHere) break;
      }
      const { layer, control } = await this.#find(sign);
      if (control) await this.#use(control, layer);
      return true;
    }
    return false;
  }

  /** A control where it is now, a moment later, or below what lies over it. */
  async #find(sign: string): Promise<{ layer: Layer; control: Control | undefined }> {
    for (let tries = 0; ; tries++) {
      const layer = await this.#look();
      const control = layer.controls.find((each) => each.sign === sign);
      if (control || tries === 4) return { layer, control };
      if (layer.isOver && tries >= 2) await this.#page.keyboard.press('Escape');
      await this.#drawn(true);
    }
  }

  async #wrongs(withFocus: boolean): Promise<string[]> {
    let found = await this.#page.evaluate<string[]>(findWrongs);
    if (found.includes(lostFocus) && withFocus) {
      // it may be on its way to what was opened: on a busy machine after the answer of a write
      for (let left = 8; left > 0 && found.includes(lostFocus); left--) {
        await this.#page.waitForTimeout(400);
        found = await this.#page.evaluate<string[]>(findWrongs);
      }
    }
    found = found.filter((each) => withFocus || each !== lostFocus);
    const since = Date.now() - withinMs;
    const counts = new Map<string, number>();
    for (const { method, path, at } of this.#calls)
      if (at > since) counts.set(`${method} ${path}`, (counts.get(`${method} ${path}`) ?? 0) + 1);
    for (const [call, count] of counts) if (count > mostCalls) found.push(`requests without end: ${call}`);
    return [...found, ...this.#complaints.splice(0)];
  }

  #note(after: string, found: readonly string[]): void {
    for (const each of found) this.#findings.add(`${after}: ${each}`);
  }
}

/** The states in which every screen is used. */
export const apiStates = {
  many: { rows: 12, role: 'owner', calls: 'answered' },
  one: { rows: 1, role: 'owner', calls: 'answered' },
  empty: { rows: 0, role: 'owner', calls: 'answered' },
  'read-only role': { rows: 3, role: 'viewer', calls: 'answered' },
  failed: { rows: 3, role: 'owner', calls: 'failed' },
  loading: { rows: 3, role: 'owner', calls: 'unanswered' },
  offline: { rows: 3, role: 'owner', calls: 'offline' },
} as const satisfies Readonly<Record<string, ApiState>>;
