import type { JSX } from 'react';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Template } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { State, Button } from '../../components/basics.tsx';
import { badges, opening, times } from '../../components/columns.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { FilterText } from '../../components/filter-text.tsx';
import type { Column } from '../../components/table.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { partsOf } from '../../components/template-parts.ts';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { useRows } from '../../data/pages.ts';
import { refresh } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { useMay } from '../../data/session.ts';
import { templatesText } from '../../text/templates.ts';
import { useLocale, useText } from '../../text/text.ts';
import { languageName } from './language-names.ts';
import { TemplateDialog } from './template-details.tsx';
import { categoryOf, rejectionOf, stateOf } from './template-words.ts';
import './templates.css';

const states = ['APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED'] as const;

/** What WhatsApp lets the company send first: which templates are approved, which wait, and why others were refused. */
const Templates = (): JSX.Element => {
  const text = useText(templatesText);
  const mayWrite = useMay('member');
  const [search, setSearch] = useFilter('q');
  const [status, setStatus] = useFilter('status');
  const [opened, setOpened] = useFilter('entry');
  const navigate = useNavigate();
  const wanted = states.find((each) => each === status);
  const input = { query: { limit: 50, status: wanted ?? 'all', ...(search === undefined ? {} : { name: search }) } };
  const { rows, hasMore, readOn, ...query } = useRows('listTemplates', input);
  useInspectable({ title: text.templates, call: { operation: 'listTemplates', input } });
  const reread = (): void => void refresh('listTemplates', 'getTemplate');
  const sync = useWrite(
    (_: undefined, call) => api.syncTemplates({}, call),
    () => {
      toast(text.synced);
      reread();
    },
  );
  const shown = rows.find(({ id }) => String(id) === opened);
  return (
    <TablePage
      title={text.templates}
      file="templates"
      query={query}
      refused={sync.error}
      rows={rows}
      columns={useTemplateColumns(setOpened)}
      create={mayWrite ? { label: text.newTemplate, onCreate: () => void navigate({ to: '/templates/new' }) } : undefined}
      actions={
        mayWrite && (
          <>
            <Link className="button" to="/templates/library">
              {text.library}
            </Link>
            <Button icon="refresh" isSoftDisabled={sync.isPending} onClick={() => sync.run(undefined)}>
              {text.sync}
            </Button>
          </>
        )
      }
      filters={
        <>
          <FilterText label={text.search} value={search} onText={setSearch} />
          <FilterSelect
            label={text.status}
            value={status}
            choices={[['', text.all], ...states.map((each) => [each, stateOf(text, each).name] as const)]}
            onText={setStatus}
          />
        </>
      }
      empty={
        search === undefined && wanted === undefined
          ? { icon: 'template', title: text.none, hint: text.noneHint }
          : { icon: 'template', title: text.noMatch }
      }
      hasMore={hasMore}
      onEnd={readOn}
    >
      {opened !== undefined && (
        <TemplateDialog
          key={opened}
          id={Number(opened)}
          row={shown}
          onOpen={setOpened}
          onClose={() => setOpened(undefined)}
          onChanged={reread}
        />
      )}
    </TablePage>
  );
};
export default Templates;

/** The columns of the list; the name opens the template. */
const useTemplateColumns = (open: (id: string) => void): Column<Template>[] => {
  const text = useText(templatesText);
  const { tag } = useLocale();
  return [
    opening<Template>({ id: 'name', name: text.name, width: 'minmax(9rem, 1.5fr)', value: ({ name }) => name }, open),
    { id: 'language', name: text.language, width: 'minmax(5.5rem, 8rem)', value: ({ language }) => languageName(tag, language) },
    badges<Template>(
      { id: 'status', name: text.status, width: '8rem', value: (row) => stateOf(text, row.status).name },
      (row) => stateOf(text, row.status).look,
    ),
    { id: 'category', name: text.category, width: '8rem', value: ({ category }) => categoryOf(text, category), isExtra: true },
    {
      id: 'body',
      name: text.text,
      width: 'minmax(8rem, 3fr)',
      value: (row) => rejectionOf(text, row)?.reason ?? partsOf(row).body,
      cell: (row) => {
        const rejection = rejectionOf(text, row);
        return (
          <span className={rejection ? 'cut bad-text' : 'cut'} dir="auto">
            {rejection?.reason ?? partsOf(row).body}
          </span>
        );
      },
      isExtra: true,
    },
    {
      id: 'quality',
      name: text.quality,
      width: '6rem',
      value: ({ quality_score: quality }) => quality?.toLowerCase() ?? '',
      cell: ({ quality_score: quality }) => <Quality quality={quality} />,
      isExtra: true,
    },
    times('updated_at', text.changed, { width: '7rem', isNumber: true, isExtra: true }),
  ];
};

const Quality = ({ quality }: { quality: string | null }): JSX.Element => {
  const text = useText(templatesText);
  const known = { GREEN: [text.good, undefined], YELLOW: [text.medium, 'warn'], RED: [text.poor, 'bad'] } as const;
  const [name, look] = known[quality as keyof typeof known] ?? ['–'];
  return <State name={name} look={look} />;
};
