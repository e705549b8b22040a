import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Template } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Page } from '../../components/page.tsx';
import { Shown } from '../../components/shown.tsx';
import { api } from '../../data/client.ts';
import { read } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { templatesText } from '../../text/templates.ts';
import { useText } from '../../text/text.ts';
import { BeyondBuilder } from './beyond-builder.tsx';
import { Builder } from './builder.tsx';
import { languages } from './language-names.ts';
import { componentsFor, draftOf, emptyDraft, inAnotherLanguage, maxPriceFor, type TemplateDraft } from './template-draft.ts';

const create = (draft: TemplateDraft, call: { idempotencyKey: string }) => {
  const { name, language, category } = draft;
  const price = maxPriceFor(draft);
  return api.createTemplate(
    { body: { name, language, category, components: componentsFor(draft), ...(price ? { max_price: price } : {}) } },
    call,
  );
};

/** A new template, or another language of the one that the address names. */
const NewTemplate = (): JSX.Element => {
  const text = useText(templatesText);
  const [from] = useFilter('from');
  useInspectable({ title: text.newTemplate, call: { operation: 'listTemplates', input: { query: { status: 'all' } } } });
  if (from !== undefined) return <Translation key={from} id={Number(from)} />;
  return <Builder title={text.newTemplate} read={emptyDraft} draftName="new" send={create} />;
};
export default NewTemplate;

const Translation = ({ id }: { id: number }): JSX.Element => {
  const text = useText(templatesText);
  const query = useQuery(read('getTemplate', { params: { id } }));
  const name = query.data?.data.name ?? '';
  const others = useQuery({ ...read('listTemplates', { query: { name, status: 'all', limit: 100 } }), enabled: name !== '' });
  if (query.data && others.data) return <Translating source={query.data.data} taken={others.data.data.map(({ language }) => language)} />;
  return (
    <Page title={text.otherLanguage}>
      <Shown query={{ data: undefined, error: query.error ?? others.error, refetch: query.refetch }}>{() => null}</Shown>
    </Page>
  );
};

const Translating = ({ source, taken }: { source: Template; taken: readonly string[] }): JSX.Element => {
  const text = useText(templatesText);
  const draft = draftOf(source);
  const free = languages.find((each) => !taken.includes(each)) ?? '';
  if (!draft) return <BeyondBuilder title={text.otherLanguage} />;
  return (
    <Builder
      title={text.otherLanguageOf(source.name)}
      read={inAnotherLanguage(draft, free)}
      draftName={`from.${source.id}`}
      source={draft}
      taken={taken}
      send={create}
    />
  );
};
