import { type JSX, useState } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { LibraryTemplate } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Button, Empty } from '../../components/basics.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { FilterText } from '../../components/filter-text.tsx';
import { Page } from '../../components/page.tsx';
import { Shown } from '../../components/shown.tsx';
import type { TemplateParts } from '../../components/template-parts.ts';
import { TemplatePreview } from '../../components/template-preview.tsx';
import { toast } from '../../components/toasts.tsx';
import { read, refresh } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { useMay } from '../../data/session.ts';
import { templatesText } from '../../text/templates.ts';
import { useLocale, useText } from '../../text/text.ts';
import { languageChoices, languageName, languages } from './language-names.ts';
import { TakeDialog } from './take-dialog.tsx';
import './templates.css';

/** Buttons that can be filled in here; those of codes are for verification. */
const known = ['URL', 'PHONE_NUMBER', 'QUICK_REPLY'];
const isOffered = ({ category, buttons }: LibraryTemplate): boolean =>
  category !== 'AUTHENTICATION' && buttons.every(({ type }) => known.includes(type));

/** What WhatsApp has written already: it is approved at once, with the company's own links and numbers. */
const Library = (): JSX.Element => {
  const text = useText(templatesText);
  const { tag } = useLocale();
  const navigate = useNavigate();
  const mayWrite = useMay('member');
  const [search, setSearch] = useFilter('q');
  const [language, setLanguage] = useFilter('in');
  const [taken, setTaken] = useState<LibraryTemplate>();
  const input = {
    query: { ...(search === undefined ? {} : { search }), ...(language === undefined ? {} : { language }) },
  };
  const query = useQuery({ ...read('listTemplateLibrary', input), placeholderData: keepPreviousData, retry: false });
  useInspectable({ title: text.library, call: { operation: 'listTemplateLibrary', input } });
  return (
    <Page
      title={text.library}
      filters={
        <>
          <FilterText label={text.searchLibrary} value={search} onText={setSearch} />
          <FilterSelect
            label={text.language}
            value={language}
            choices={[['', text.all], ...languageChoices(tag, languages)]}
            onText={setLanguage}
          />
        </>
      }
    >
      <p className="lead muted">{text.libraryHint}</p>
      <Shown query={query}>
        {({ data: { templates, is_complete: isComplete } }) => (
          <Found templates={templates.filter(isOffered)} isComplete={isComplete} onTake={mayWrite ? setTaken : undefined} />
        )}
      </Shown>
      {taken && (
        <TakeDialog
          template={taken}
          onClose={() => setTaken(undefined)}
          onDone={async () => {
            toast(text.taken);
            await navigate({ to: '/templates', ignoreBlocker: true });
            await refresh('listTemplates');
          }}
        />
      )}
    </Page>
  );
};
export default Library;

interface FoundProps {
  templates: readonly LibraryTemplate[];
  isComplete: boolean;
  onTake: ((template: LibraryTemplate) => void) | undefined;
}

const Found = ({ templates, isComplete, onTake }: FoundProps): JSX.Element => {
  const text = useText(templatesText);
  const { tag } = useLocale();
  if (templates.length === 0) return <Empty icon="template" title={text.noMatch} />;
  return (
    <>
      <ul className="template-library">
        {templates.map((each) => (
          <li key={`${each.name} ${each.language}`} className="card">
            <div className="row">
              <code className="cut grow">{each.name}</code>
              <span className="muted">{languageName(tag, each.language)}</span>
            </div>
            <TemplatePreview parts={libraryParts(each)} values={libraryValues(each)} />
            {onTake && (
              <Button onClick={() => onTake(each)} aria-label={text.takeNamed(each.name)}>
                {text.take}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {!isComplete && <p className="muted">{text.libraryHasMore}</p>}
    </>
  );
};

const libraryParts = ({ header, body, buttons }: LibraryTemplate): TemplateParts => ({
  ...(header === null ? {} : { header }),
  body,
  buttons: buttons.map(({ type, text }) => ({ type, text: text ?? '' })),
  cards: [],
});

const libraryValues = ({ body_examples: examples }: LibraryTemplate): Readonly<Record<string, string>> =>
  Object.fromEntries(examples.map((example, index) => [`body:${index + 1}`, example]));
