import type { Page } from 'playwright-core';
import type { ApiState } from './stand-in-api.ts';

/** A control of the rendered page, among those of one kind. */
interface Control {
  /** Where it is, and what it is called: controls of rows are one, whichever row. */
  sign: string;
  /** Its place in the list of controls of the topmost layer. */
  index: number;
  kind: 'press' | 'type' | 'choose' | 'check' | 'date' | 'file' | 'mouse';
  /** It leads to another screen. */
  leaves: boolean;
  /** It was pressed a moment ago, and says so: `Copied`. */
  isPassing: boolean;
}

interface Layer {
  /** The screen, or the dialog or menu over it. */
  scope: string;
  isOver: boolean;
  language: string;
  controls: Control[];
}

/** What was pressed, and what was wrong with it. */
export interface Pressed {
  controls: number;
  scopes: number;
  findings: string[];
  /** Controls that were seen and not used. */
  unreached: string[];
}

const inPage = `(() => {
  const plain = (text) => (text || '').replace(/\\s+/g, ' ').replace(/[:：].*$/, '').replace(/\\d+/g, '#').trim().slice(0, 60);
  const nameOf = (element) => {
    const label = (element.getAttribute('role') || '').startsWith('menuitem') ? (element.querySelector('.grow') || element).textContent : element.getAttribute('aria-label') || (element.labels && element.labels[0] && element.labels[0].textContent) ||
      element.getAttribute('placeholder') || element.textContent || element.getAttribute('title');
    return plain(label);
  };
  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && element.getClientRects().length > 0;
  const top = () => {
    const layers = [...document.querySelectorAll('[role=dialog], [role=alertdialog], .popover [role=menu], .popover [role=listbox]')].filter(isShown);
    return layers.at(-1);
  };
  const selector = 'button, a[href], input, select, textarea, summary, [role=tab], [role=menuitem], [role=menuitemradio], [role=option], [role=switch]';
  const layer = () => {
    const over = top();
    const root = over || document.querySelector('#app');
    const path = location.pathname.replace('/console', '').replace(/\\d+/g, '#');
    const title = over && (plain(over.querySelector('h2, [slot=title]')?.textContent) || plain(over.getAttribute('aria-label')) || over.getAttribute('role'));
    const elements = [...root.querySelectorAll(selector)].filter((element) =>
      isShown(element) && !element.disabled && element.getAttribute('aria-disabled') !== 'true' && !element.matches(':disabled') &&
      element.getAttribute('tabindex') !== '-2' && !(element.parentElement && element.parentElement.closest('button, a[href]')));
    globalThis.pressable = elements;
    return {
      scope: over ? path + ' » ' + title : path,
      isOver: Boolean(over),
      language: document.documentElement.lang,
      controls: elements.map((element, index) => {
        const isFrame = !over && element.closest('.rail, .subnav');
        const role = element.getAttribute('role');
        const isRow = !isFrame && role !== 'switch' && role !== 'tab' && element.closest('[role=row], li, tr, .conversation, .message, .checks') && role !== 'menuitem';
        const word = isRow ? (element.getAttribute('aria-label') ? plain(element.getAttribute('aria-label')) : '') + '.' + String(element.className?.baseVal ?? element.className).trim().split(/\\s+/).join('.') : nameOf(element);
        const tag = element.tagName.toLowerCase();
        const type = element.type || '';
        const kind = tag === 'select' ? 'choose' : tag === 'textarea' ? 'type'
          : tag === 'input' ? (['checkbox', 'radio'].includes(type) ? 'check' : type === 'file' ? 'file' : ['date', 'time', 'datetime-local'].includes(type) ? 'date' : 'type')
          : role === 'option' ? 'mouse' : 'press';
        const leaves = tag === 'a' && !(element.target === '_blank') && new URL(element.href).pathname !== location.pathname;
        return { sign: (isFrame ? 'frame' : over ? path + ' » ' + title : path) + ' › ' + (role || tag) + ' ' + word, index, kind, leaves, isPassing: Date.now() - Number(element.dataset.pressed || 0) < 3000 };
      }),
    };
  };
  return layer();
})()`;

/** What is to be known of a control before it is used. */
interface About {
  /** It says that something opens. */
  opens: boolean;
  options: number;
  type: string;
  readOnly: boolean;
}

/** Marks a control as pressed now, and gives it the focus. */
const prepare = (index: number, withFocus: boolean): string => `(() => {
  const element = globalThis.pressable[${index}];
  element.dataset.pressed = String(Date.now());
  if (${withFocus}) element.focus();
  return { opens: element.matches('[aria-haspopup]'), options: element.options ? element.options.length : 0, type: element.type || '', readOnly: element.readOnly === true };
})()`;

/** What is wrong with the page as it is. */
const wrongs = `(() => {
  const found = [];
  const text = document.body.innerText;
  if (text.includes('This part of the page broke')) found.push('broke: ' + (document.querySelector('.empty code')?.textContent || ''));
  if (text.includes('There is no such page')) found.push('leads nowhere');
  // a document that was loaded since, as signing in does, begins without one
  if (document.activeElement === document.body && globalThis.pressable) found.push('the focus is lost');
  const ways = [...document.querySelectorAll('button, a[href]')].filter((element) => element.checkVisibility() && !element.disabled);
  if (ways.length === 0) found.push('no way on');
  return found;
})()`;

const lostFocus = 'the focus is lost';

const pathOf = (url: string): string => new URL(url).pathname;

/** How often a layer is opened again for what is not used in it; and the screen itself. */
const mostTries = { layer: 10, screen: 4 };

/** Calls of one address in a few seconds, from which on a page requests without end. */
const mostCalls = 25;
const withinMs = 4_000;

/** What each page has, once it is drawn. */
const contents = '.page, .inbox, .sign-in, .empty, .notice';

const isOfNavigation = (error: unknown): boolean => /context was destroyed|navigation/i.test(String(error));

/**
 * Uses every control of a screen, and of what opens over it, as it is rendered: nothing is named here. Buttons and links are pressed by keys, fields are
 * filled in, choices chosen; what a press opens is explored in the same way, and opened again until nothing in it is unused.
 */
export class Presser {
  readonly #page: Page;
  readonly #path: string;
  readonly #calls: { method: string; path: string; at: number }[];
  readonly #used: { screen: Set<string>; frame: Set<string> };
  readonly #known = new Map<string, string>();
  /** How a layer was opened. */
  readonly #openers = new Map<string, readonly string[]>();
  /** What was pressed before a control was seen for the first time. */
  readonly #revealers = new Map<string, readonly string[]>();
  readonly #chosen = new Map<string, number>();
  /** The last two controls that were used: what is shown now came by one of them. */
  #recent: string[] = [];
  #language: string | undefined;
  readonly #tries = new Map<string, number>();
  readonly #findings = new Set<string>();
  readonly #complaints: string[] = [];
  readonly #scopes = new Set<string>();
  #pressed = 0;

  /** @param used what need not be used here: controls of the screen, and those of the frame, which every screen has */
  constructor(
    page: Page,
    path: string,
    calls: { method: string; path: string; at: number }[],
    used: { screen: Set<string>; frame: Set<string> },
  ) {
    [this.#page, this.#path, this.#calls, this.#used] = [page, path, calls, used];
    page.on('pageerror', (error) => this.#complaints.push(`an error: ${error.message}`));
    page.on('console', (message) => {
      // what a page answers in words: refusals that the state of the API makes
      if (message.type() === 'error' && !/status of (4\d\d|50\d)|ERR_(CONNECTION|INTERNET|FAILED)/.test(message.text()))
        this.#complaints.push(`the console: ${message.text().slice(0, 300)}`);
    });
    page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined));
    page.context().on('page', (other) => void (other === page || other.close().catch(() => undefined)));
  }

  async run(most: number): Promise<Pressed> {
    await this.#open();
    this.#note('opening it', await this.#wrongs(false));
    for (let turn = 0; turn < most; turn++) {
      const layer = await this.#look();
      const unused = layer.controls.filter(({ sign }) => !this.#has(sign));
      // in a dialog what is filled in first; on a page what a filter would hide; and what leads away at last
      const staying = unused.filter(({ leaves }) => !leaves);
      const next = (layer.isOver ? undefined : staying.find(({ kind }) => kind === 'press')) ?? staying[0] ?? unused[0];
      if (next) await this.#use(next, layer);
      else if (layer.isOver) await this.#leave(layer);
      else if (!(await this.#reopen(layer))) break;
    }
    const unreached = [...this.#known].filter(([sign]) => !this.#has(sign)).map(([sign]) => sign);
    return {
      unreached,
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
    const layer = await this.#page.evaluate<Layer>(inPage).catch(async (error: unknown) => {
      // a page with a document of its own is loaded anew, a moment after it was gone to
      if (!isOfNavigation(error)) throw error;
      await this.#open();
      return this.#page.evaluate<Layer>(inPage);
    });
    this.#scopes.add(layer.scope);
    this.#language ??= layer.language;
    // in another language everything is called otherwise
    if (layer.language !== this.#language) return layer;
    if (layer.isOver && !this.#openers.has(layer.scope)) this.#openers.set(layer.scope, this.#recent);
    for (const { sign, isPassing } of layer.controls) {
      if (this.#known.has(sign) || isPassing) continue;
      this.#known.set(sign, layer.scope);
      this.#revealers.set(sign, this.#recent);
    }
    return layer;
  }

  async #use({ sign, index, kind, leaves }: Control, layer: Layer): Promise<void> {
    if (process.env['SHOW_STEPS']) process.stdout.write(`  ${layer.scope} | ${sign}\n`);
    this.#setOf(sign).add(sign);
    this.#pressed++;
    this.#recent = [sign, ...this.#recent].slice(0, 2);
    const from = this.#page.url();
    const about = await this.#page.evaluate<About>(prepare(index, kind !== 'mouse' && kind !== 'file'));
    try {
      await this.#act(index, kind, sign, about);
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

  async #act(index: number, kind: Control['kind'], sign: string, { options, type, readOnly }: About): Promise<void> {
    const { keyboard } = this.#page;
    if (kind === 'mouse') return this.#page.evaluate(`globalThis.pressable[${index}].click()`);
    if (kind === 'press') return keyboard.press('Enter');
    if (kind === 'check') return keyboard.press('Space');
    const handle = (await this.#page.evaluateHandle(`globalThis.pressable[${index}]`)).asElement();
    if (!handle) return;
    if (kind === 'file')
      return handle.setInputFiles({ name: 'picture.png', mimeType: 'image/png', buffer: Buffer.from('iVBORw0KGgo=', 'base64') });
    if (kind === 'choose') {
      // another one each time, from the last on
      const nth = this.#chosen.get(sign) ?? 0;
      this.#chosen.set(sign, nth + 1);
      await handle.selectOption({ index: (options - 1 - (nth % options) + options) % options });
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
    if (after.controls.some(({ sign }) => !this.#has(sign))) return;
    await this.#open();
  }

  /** Opens again what has unused controls, or was never seen whole. */
  async #reopen(layer: Layer): Promise<boolean> {
    const unused = new Set([...this.#known].filter(([sign]) => !this.#has(sign)).map(([, scope]) => scope));
    for (const scope of unused) {
      const tries = this.#tries.get(scope) ?? 0;
      const openers = this.#openers.get(scope) ?? [];
      const opener = openers[tries % Math.max(1, openers.length)] ?? (scope === layer.scope ? '' : undefined);
      if (opener === undefined || tries >= (opener === '' ? mostTries.screen : mostTries.layer)) continue;
      this.#tries.set(scope, tries + 1);
      // what is typed makes other buttons, such as those that send it
      for (const [sign, of] of this.#known) if (of === scope && / › (input|textarea|select) /.test(sign)) this.#setOf(sign).delete(sign);
      if (opener === '') {
        // what shows them is pressed again
        for (const [sign, of] of this.#known) {
          const revealers = of === scope && !this.#has(sign) ? (this.#revealers.get(sign) ?? []) : [];
          for (const revealer of revealers) if (this.#known.get(revealer) === scope) this.#setOf(revealer).delete(revealer);
        }
        await this.#open();
        return true;
      }
      this.#setOf(opener).delete(opener);
      const now = await this.#look();
      if (now.controls.some(({ sign }) => sign === opener)) return true;
      await this.#open();
      return true;
    }
    return false;
  }

  async #wrongs(withFocus: boolean): Promise<string[]> {
    let found = await this.#page.evaluate<string[]>(wrongs);
    if (found.includes(lostFocus) && withFocus) {
      // it may be on its way to what was opened: on a busy machine after the answer of a write
      for (let left = 8; left > 0 && found.includes(lostFocus); left--) {
        await this.#page.waitForTimeout(400);
        found = await this.#page.evaluate<string[]>(wrongs);
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
