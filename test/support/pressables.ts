/** A control of the rendered page, among those of one kind. */
export interface Control {
  /** Where it is, and what it is called: controls of rows are one, whichever row. */
  sign: string;
  /** Its place in the list of controls of the topmost layer. */
  index: number;
  kind: 'press' | 'type' | 'choose' | 'check' | 'date' | 'file' | 'mouse';
  /** How many choices it has; 0 of what is not chosen from. */
  options: number;
  /** It leads to another screen. */
  leaves: boolean;
  /** It was pressed a moment ago, and says so: `Copied`. */
  isPassing: boolean;
}

export interface Layer {
  /** The screen, or the dialog or menu over it. */
  scope: string;
  isOver: boolean;
  language: string;
  controls: Control[];
}

/** Run in the page: the topmost layer with its controls, which it keeps for `prepareControl`. */
export const readLayer = `(() => {
  const plain = (text) => (text || '').replace(/\\s+/g, ' ').replace(/[:：].*$/, '').replace(/\\d+/g, '#').trim().slice(0, 60);
  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && element.getClientRects().length > 0;
  const classesOf = (element) => '.' + String(element.className?.baseVal ?? element.className).trim().split(/\\s+/).join('.');
  const labelOf = (element) => (element.getAttribute('role') || '').startsWith('menuitem') ? (element.querySelector('.grow') || element).textContent
    : element.getAttribute('aria-label') || (element.labels && element.labels[0] && element.labels[0].textContent) ||
      element.getAttribute('placeholder') || element.textContent || element.getAttribute('title');
  /** What a label says without what its row is called, so that it is the same in every row. */
  const ofAnyRow = (label, row) => {
    const names = [...row.querySelectorAll('*')].filter((each) => each.children.length === 0).map((each) => each.textContent.trim()).filter((text) => text.length > 2);
    return plain(names.sort((a, b) => b.length - a.length).reduce((rest, name) => rest.replace(name, '…'), label));
  };
  /** A button that opens a menu may be called like what was chosen in it: it is known by its place. */
  const placeOf = (element) => {
    const parent = element.parentElement;
    return 'popup in ' + classesOf(parent) + ' ' + [...parent.querySelectorAll('[aria-haspopup]')].indexOf(element);
  };
  const over = [...document.querySelectorAll('[role=dialog], [role=alertdialog], .popover [role=menu], .popover [role=listbox]')].filter(isShown).at(-1);
  const root = over || document.querySelector('#app');
  const path = location.pathname.replace('/console', '').replace(/\\d+/g, '#');
  const selector = 'button, a[href], input, select, textarea, summary, [role=tab], [role=menuitem], [role=menuitemradio], [role=option], [role=switch]';
  const elements = [...root.querySelectorAll(selector)].filter((element) =>
    isShown(element) && !element.disabled && element.getAttribute('aria-disabled') !== 'true' && !element.matches(':disabled') &&
    element.getAttribute('tabindex') !== '-2' && !(element.parentElement && element.parentElement.closest('button, a[href]')));
  globalThis.pressable = elements;
  const isMenu = over && ['menu', 'listbox'].includes(over.getAttribute('role'));
  // a menu is known by what it offers: it may be called like its button
  const title = isMenu ? over.getAttribute('role') + ' of ' + elements.map(labelOf).map(plain).join(', ').slice(0, 80)
    : over && (plain(over.querySelector('h2, [slot=title]')?.textContent) || plain(over.getAttribute('aria-label')) || over.getAttribute('role'));
  const scope = over ? path + ' » ' + title : path;
  return {
    scope,
    isOver: Boolean(over),
    language: document.documentElement.lang,
    controls: elements.map((element, index) => {
      const isFrame = !over && element.closest('.rail, .subnav');
      const role = element.getAttribute('role');
      const row = !isFrame && role !== 'switch' && role !== 'tab' && role !== 'menuitem' && element.closest('[role=row], li, tr, .conversation, .message, .checks');
      const label = element.getAttribute('aria-label');
      const word = element.matches('[aria-haspopup]') && !row ? placeOf(element) : row ? (label ? ofAnyRow(label, row) : '') + classesOf(element) : plain(labelOf(element));
      const tag = element.tagName.toLowerCase();
      const type = element.type || '';
      const kind = tag === 'select' ? 'choose' : tag === 'textarea' ? 'type'
        : tag === 'input' ? (['checkbox', 'radio'].includes(type) ? 'check' : type === 'file' ? 'file' : ['date', 'time', 'datetime-local'].includes(type) ? 'date' : 'type')
        : role === 'option' ? 'mouse' : 'press';
      const leaves = tag === 'a' && !(element.target === '_blank') && new URL(element.getAttribute('href'), location.href).pathname !== location.pathname;
      return {
        sign: (isFrame ? 'frame' : scope) + ' › ' + (role || tag) + ' ' + word,
        index,
        kind,
        options: element.options ? [...element.options].filter((each) => !each.disabled).length : 0,
        leaves,
        isPassing: Date.now() - Number(element.dataset.pressed || 0) < 3000,
      };
    }),
  };
})()`;

/** What is to be known of a control before it is used. */
export interface About {
  /** It says that something opens. */
  opens: boolean;
  type: string;
  readOnly: boolean;
}

/** Run in the page: marks a control as pressed now, gives it the focus, and answers what there is to know of it. */
export const prepareControl = (index: number, withFocus: boolean): string => `(() => {
  const element = globalThis.pressable[${index}];
  element.dataset.pressed = String(Date.now());
  if (${withFocus}) element.focus();
  return { opens: element.matches('[aria-haspopup]'), type: element.type || '', readOnly: element.readOnly === true };
})()`;

export const lostFocus = 'the focus is lost';

/** Run in the page: what is wrong with it as it is. */
export const findWrongs = `(() => {
  const found = [];
  const text = document.body.innerText;
  if (text.includes('This part of the page broke')) found.push('broke: ' + (document.querySelector('.empty code')?.textContent || ''));
  if (text.includes('There is no such page')) found.push('leads nowhere');
  // a document that was loaded since, as signing in does, begins without one
  if (document.activeElement === document.body && globalThis.pressable) found.push('${lostFocus}');
  // the frame leads elsewhere from every page: each has a way on of its own, once it is read
  const own = document.querySelector('main') || document.body;
  const isShown = (element) => element.checkVisibility();
  const ways = [...own.querySelectorAll('button, a[href], input, select, textarea, summary')].filter((element) => isShown(element) && !element.disabled);
  if (ways.length === 0 && ![...own.querySelectorAll('.skeleton')].some(isShown)) found.push('no way on');
  return found;
})()`;

/** What each page has, once it is drawn. */
export const pageContents = '.page, .inbox, .sign-in, .empty, .notice';

/** Run in the page: what the browser keeps for it. */
export const readStored = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }])`;

/** Run in the page: the browser keeps what it kept then, and nothing else. */
export const restoreStored = (stored: string): string => `(() => {
  const [local, session] = ${stored};
  for (const [storage, values] of [[localStorage, local], [sessionStorage, session]]) {
    storage.clear();
    for (const [name, value] of Object.entries(values)) storage.setItem(name, value);
  }
})()`;
