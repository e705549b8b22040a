/* global Redoc */
/**
 * The script of the API reference page. It starts the renderer and searches operations, fields, events, guides and error codes. The
 * renderer's own search is off: it reads no fields and finds no word with a hyphen.
 */
const main = document.querySelector('main');
const input = document.querySelector('#search');
const results = document.querySelector('#results');
const maxResults = 12;
const maxDepth = 6;

/** Words in lower case; camelCase and snake_case names are split. */
const wordsOf = (text) =>
  String(text ?? '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** An entry knows the highest weight of each of its words. */
const entry = (title, note, find, texts) => {
  const weights = new Map();
  for (const [weight, text] of texts) for (const word of wordsOf(text)) weights.set(word, Math.max(weight, weights.get(word) ?? 0));
  return { title, note, find, weights };
};

/** Names and descriptions of the fields of a schema, references followed. */
const fieldsOf = (spec, schema, depth = 0) => {
  if (!schema || depth > maxDepth) return [];
  if (schema.$ref) return fieldsOf(spec, spec.components.schemas[schema.$ref.split('/').at(-1)], depth + 1);
  const nested = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    [4, name],
    [1, field.description],
    ...fieldsOf(spec, field, depth + 1),
  ]);
  return [...own, ...nested.filter((each) => typeof each === 'object').flatMap((each) => fieldsOf(spec, each, depth + 1))];
};

const bodiesOf = (spec, { requestBody, responses }) =>
  [requestBody, ...Object.entries(responses ?? {}).flatMap(([status, response]) => (status < '300' ? [response] : []))]
    .flatMap((body) => Object.values(body?.content ?? {}))
    .flatMap(({ schema }) => fieldsOf(spec, schema));

const operations = (spec, paths, noteOf) =>
  Object.entries(paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId, summary, description, tags = [], parameters = [] } = operation;
      const find = () => document.querySelector(`[id$="operation/${CSS.escape(operationId ?? path)}"]`) ?? headingOf(summary);
      return entry(summary, noteOf(method, path), find, [
        [10, summary],
        [6, `${operationId ?? ''} ${path} ${tags.join(' ')}`],
        [3, description],
        ...parameters.flatMap((each) => [
          [4, each.name],
          [1, each.description],
        ]),
        ...bodiesOf(spec, operation),
      ]);
    }),
  );

const headingOf = (text) => [...main.querySelectorAll('h1, h2, h3')].find((heading) => heading.textContent.trim() === text);

const sections = () =>
  [...main.querySelectorAll('[id^="section/"]')].flatMap((section) => {
    const heading = section.querySelector('h1, h2, h3, h4');
    if (!heading) return [];
    const title = heading.textContent.trim();
    return [
      entry(title, 'Guide', () => section, [
        [10, title],
        [3, section.textContent],
      ]),
    ];
  });

/** Guides that stand beside the document, on pages of their own. */
const pagesBeside = (texts) =>
  texts.map(({ href, title, text }) => ({
    ...entry(title, 'Guide', () => undefined, [
      [10, title],
      // what the guide is about stands first in it
      [6, text.split('\n\n')[1]],
      [3, text],
    ]),
    href,
  }));

/** Paragraphs of the introduction that begin with a bold term, such as "Pagination". */
const topics = () =>
  [...main.querySelectorAll('p > strong:first-child')].flatMap((term) => {
    const paragraph = term.parentElement;
    if (paragraph.firstChild !== term || paragraph.closest('[id*="operation/"]')) return [];
    const title = term.textContent.replace(/[.:]$/, '');
    paragraph.id ||= `topic/${wordsOf(title).join('-')}`;
    return [
      entry(title, 'Guide', () => paragraph, [
        [10, title],
        [3, paragraph.textContent],
      ]),
    ];
  });

/** Items of the list of error codes: each begins with its code. */
const errors = () =>
  [...main.querySelectorAll('[id="section/Errors"] li > code:first-child')].map((code) => {
    const item = code.closest('li');
    item.id ||= `error/${code.textContent}`;
    return entry(code.textContent, 'Error code', () => item, [
      [10, code.textContent],
      [2, item.textContent],
    ]);
  });

/** The sum of the weights; each word of the query must begin a word of the entry. */
const scoreOf = ({ weights }, query) => {
  let score = 0;
  for (const wanted of query) {
    let best = 0;
    for (const [word, weight] of weights) if (word.startsWith(wanted)) best = Math.max(best, word === wanted ? weight + 1 : weight);
    if (best === 0) return 0;
    score += best;
  }
  return score;
};

const show = (index) => {
  const query = wordsOf(input.value).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word));
  results.replaceChildren();
  results.hidden = query.length === 0;
  if (query.length === 0) return;
  const found = index
    // a guide answers more than an operation that has the words too
    .map((each) => ({ each, score: scoreOf(each, query) * (each.note === 'Guide' ? 2 : 1) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxResults);
  for (const { each } of found) {
    const [item, link, note] = ['li', 'a', 'small'].map((name) => document.createElement(name));
    link.href = each.href ?? `#${each.find()?.id ?? ''}`;
    note.textContent = each.note;
    link.append(each.title, note);
    item.append(link);
    results.append(item);
  }
  if (found.length === 0) results.append(Object.assign(document.createElement('li'), { textContent: 'No results.' }));
};

const start = (spec, beside) => {
  const index = [
    ...sections(),
    ...pagesBeside(beside),
    ...topics(),
    ...errors(),
    ...operations(spec, spec.paths, (method, path) => `${method.toUpperCase()} ${path}`),
    ...operations(spec, spec.webhooks, (_method, name) => `Event ${name}`),
  ];
  input.disabled = false;
  input.addEventListener('input', () => show(index));
  input.addEventListener('focus', () => show(index));
  input.form.addEventListener('submit', (event) => {
    event.preventDefault();
    results.querySelector('a')?.click();
  });
  results.addEventListener('click', () => {
    results.hidden = true;
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') results.hidden = true;
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    input.focus();
  });
  document.addEventListener('click', (event) => {
    if (!event.target.closest('header')) results.hidden = true;
  });
};

const load = async (name) => (await fetch(`/docs/${name}`)).json();

const errorCodesOf = ({ 'x-error-codes': codes = {} }) =>
  Object.entries(codes).flatMap(([status, ofStatus]) => ofStatus.map((code) => [status, code]));

/** The codes that one operation in two cannot answer: the others say nothing of this one. */
const errorText = (operation, isCommon) => {
  const own = Map.groupBy(
    errorCodesOf(operation).filter(([, code]) => !isCommon(code)),
    ([status]) => status,
  );
  return [...own].map(([status, codes]) => `${status} ${codes.map(([, code]) => `\`${code}\``).join(', ')}`).join('; ');
};

/** The document is for every tool; samples of curl and of our client, and error codes in words, are shown here alone. */
const loadDocument = async () => {
  const [spec, samples] = await Promise.all([load('openapi.json'), load('code-samples.json')]);
  spec.servers = [{ url: location.origin }];
  const operations = Object.values(spec.paths).flatMap((methods) => Object.values(methods));
  const counts = new Map();
  for (const [, code] of operations.flatMap(errorCodesOf)) counts.set(code, (counts.get(code) ?? 0) + 1);
  const isCommon = (code) => counts.get(code) > operations.length / 2;
  for (const operation of operations) {
    operation['x-codeSamples'] = samples[operation.operationId];
    const errors = errorText(operation, isCommon);
    if (errors !== '') operation.description += `  \n**Errors:** ${errors}`;
  }
  return spec;
};

const options = {
  disableSearch: true,
  requiredPropsFirst: true,
  scrollYOffset: 'header',
  jsonSampleExpandLevel: 4,
  downloadUrls: [{ title: 'openapi.json', url: '/docs/openapi.json' }],
};
/** What the renderer leaves out for the keyboard and for screen readers: code that scrolls, and names that say what is shown. */
const makeReachable = () => {
  const scrollIn = (place) => {
    for (const code of place.querySelectorAll('pre')) code.tabIndex = 0;
  };
  scrollIn(main);
  // a sample in another language is drawn when its tab is pressed
  new MutationObserver((changes) => {
    for (const { target } of changes) scrollIn(target);
  }).observe(main, { childList: true, subtree: true });
  for (const item of main.querySelectorAll('li[data-item-id][aria-label]')) item.removeAttribute('aria-label');
};

/** An address that was opened before its part was drawn. */
const goThere = () => document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();

/** What the first page lists beside the document's guides, to be searched as they are. */
const loadBeside = () =>
  Promise.all(
    [...document.querySelectorAll('#first a[href*="/guides/move-"]')].map(async (link) => ({
      href: link.getAttribute('href'),
      title: link.textContent,
      text: await (await fetch(`${link.getAttribute('href')}.md`)).text(),
    })),
  );

void Promise.all([loadDocument(), loadBeside()]).then(([spec, beside]) =>
  Redoc.init(spec, options, main, () => {
    document.querySelector('#first').remove();
    start(spec, beside);
    makeReachable();
    goThere();
  }),
);
