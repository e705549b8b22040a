import type { Locator, Page } from 'playwright-core';

/** How a user works: with a pointer and a keyboard for text, or with the keyboard alone. */
export type Way = 'pointer' | 'keys';

/** As many presses of Tab or an arrow as a user may need to reach a thing; more is a trap. */
const mostSteps = 120;

/** Seconds of a practised user for each act: the keystroke-level model (https://dl.acm.org/doi/10.1145/358886.358895). */
const secondsFor = { key: 0.28, click: 0.2, aim: 1.1, decision: 1.35 };

/** What a user does on the pages, in one of two ways, with a count of it. */
export class Hands {
  /** Clicks, and keys that are no text. */
  presses = 0;
  letters = 0;
  #clicks = 0;
  #decisions = 0;

  readonly page: Page;
  readonly way: Way;

  constructor(page: Page, way: Way) {
    this.page = page;
    this.way = way;
  }

  button(name: string | RegExp, within: Page | Locator = this.page): Promise<void> {
    return this.press(within.getByRole('button', { name, exact: true }).first());
  }

  link(name: string, within: Page | Locator = this.page): Promise<void> {
    return this.press(within.getByRole('link', { name, exact: true }).first());
  }

  dialog(): Locator {
    return this.page.getByRole('dialog').last();
  }

  /** To an area of the console: by its icon, or by its two keys. */
  async area(name: string, keys: string): Promise<void> {
    this.#decisions++;
    if (this.way === 'pointer') await this.#click(this.page.locator('.rail').getByRole('link', { name }));
    else {
      // letters are text in a field: Escape leaves it, or Tab
      const isInField = (): Promise<boolean> =>
        this.page.evaluate<boolean>('document.activeElement?.matches("textarea, input, select") ?? false');
      if (await isInField()) await this.key('Escape');
      for (let step = 0; step < mostSteps && (await isInField()); step++) await this.key('Tab');
      for (const key of ['g', keys]) await this.key(key);
    }
  }

  async press(target: Locator): Promise<void> {
    this.#decisions++;
    await target.waitFor();
    if (this.way === 'pointer') return this.#click(target);
    await this.#reach(target);
    await this.key((await target.getAttribute('type')) === 'checkbox' ? ' ' : 'Enter');
  }

  /** Writes into a field, in place of what it has. */
  async write(target: Locator, text: string): Promise<void> {
    this.#decisions++;
    await target.waitFor();
    if (this.way === 'pointer') await this.#click(target);
    else await this.#reach(target);
    if ((await target.inputValue()) !== '') await this.key('ControlOrMeta+a');
    await this.page.keyboard.type(text);
    this.letters += text.length;
  }

  /** Chooses an entry of a list by its name. */
  async choose(target: Locator, name: string): Promise<void> {
    this.#decisions++;
    await target.locator('option', { hasText: name }).first().waitFor({ state: 'attached' });
    const { at, wanted } = await target.evaluate(placesIn, name);
    if (this.way === 'pointer') {
      // the list of the system, which is no part of the page: one click opens it, one chooses
      this.#clicks += 2;
      this.presses += 2;
      await target.selectOption({ index: wanted });
      return;
    }
    await this.#reach(target);
    for (let step = 0; step < Math.abs(wanted - at); step++) await this.key(wanted > at ? 'ArrowDown' : 'ArrowUp');
  }

  /** Chooses one of a few that are shown: by keys its group is one stop, and an arrow goes from one to the next. */
  async pick(target: Locator): Promise<void> {
    this.#decisions++;
    await target.waitFor();
    if (this.way === 'pointer') return this.#click(target);
    await this.#reach(this.page.locator(`input[name="${await target.getAttribute('name')}"]:checked`));
    for (let step = 0; step < mostSteps && !(await target.isChecked()); step++) await this.key('ArrowDown');
  }

  /** The entry of a menu that `opener` opens. */
  async menu(opener: Locator, entry: string): Promise<void> {
    await this.press(opener);
    await this.press(this.page.getByRole('menuitem', { name: entry, exact: true }));
  }

  /** A file in the chooser of the system. */
  async file(target: Locator, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
    const [chooser] = await Promise.all([this.page.waitForEvent('filechooser'), this.press(target)]);
    await chooser.setFiles(file);
  }

  async key(key: string): Promise<void> {
    this.presses++;
    await this.page.keyboard.press(key);
  }

  /** What it took, and how long a practised user would need for it. */
  effort(): { presses: number; letters: number; minutes: number } {
    const { key, click, aim, decision } = secondsFor;
    const keys = this.presses - this.#clicks + this.letters;
    const seconds = keys * key + this.#clicks * (aim + click) + this.#decisions * decision;
    return { presses: this.presses, letters: this.letters, minutes: Math.round(seconds / 6) / 10 };
  }

  async #click(target: Locator): Promise<void> {
    this.#clicks++;
    this.presses++;
    await target.click();
  }

  /** Moves the focus there, forwards or backwards as it lies; within a menu by arrows. */
  async #reach(target: Locator): Promise<void> {
    for (let step = 0; step < mostSteps; step++) {
      const move = await target.evaluate(nextKey);
      if (move === '') return;
      await this.key(move);
    }
    throw new Error(`${String(target)} is not reached by ${mostSteps} keys.`);
  }
}

/** As much of an element of the page as is looked at. */
interface PageElement {
  matches: (selector: string) => boolean;
  contains: (other: PageElement) => boolean;
  compareDocumentPosition: (other: PageElement) => number;
  selectedIndex: number;
  options: ArrayLike<{ label: string }>;
}

/** In the page: where a list stands, and where the entry is whose name begins so. */
function placesIn(list: PageElement, name: string): { at: number; wanted: number } {
  return { at: list.selectedIndex, wanted: Array.from(list.options).findIndex(({ label }) => label.startsWith(name)) };
}

/** In the page: the key that brings the focus nearer, none where it is there. */
function nextKey(element: PageElement): string {
  const { document } = globalThis as unknown as { document: { activeElement: PageElement | null; body: PageElement } };
  const focused = document.activeElement;
  if (focused && element.contains(focused)) return '';
  const following = 4;
  const isAfter =
    !focused || focused === document.body || focused.contains(element) || (focused.compareDocumentPosition(element) & following) !== 0;
  if (element.matches('[role^=menuitem]')) return isAfter ? 'ArrowDown' : 'ArrowUp';
  return isAfter ? 'Tab' : 'Shift+Tab';
}
