import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Template } from '../../../client/client.ts';
import { Button, Copyable, State } from '../../components/basics.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useRemoval } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { moneyText } from '../../components/money.ts';
import { Facts } from '../../components/page.tsx';
import { Shown } from '../../components/shown.tsx';
import { partsOf } from '../../components/template-parts.ts';
import { TemplatePreview } from '../../components/template-preview.tsx';
import { Time } from '../../components/time.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { templatesText } from '../../text/templates.ts';
import { useLocale, useText } from '../../text/text.ts';
import { languageName } from './language-names.ts';
import { draftOf } from './template-draft.ts';
import { TemplateRefusal } from './template-refusal.tsx';
import { TemplateFigures, TemplateUses } from './template-uses.tsx';
import { categoryOf, isChangeable, rejectionOf, stateOf } from './template-words.ts';
import { useCost } from './use-cost.ts';

interface TemplateDialogProps {
  id: number;
  /** As the list has it. */
  row: Template | undefined;
  /** Opens the same template in another language. */
  onOpen: (id: string) => void;
  onClose: () => void;
  onChanged: () => void;
}

/** One template as a customer sees it, in each of its languages. */
export const TemplateDialog = ({ id, row, ...rest }: TemplateDialogProps): JSX.Element => {
  const text = useText(templatesText);
  const query = useQuery(read('getTemplate', { params: { id } }));
  const template = query.data?.data ?? row;
  if (template) return <Details template={template} {...rest} />;
  return (
    <Dialog title={text.template} onClose={rest.onClose} wide>
      <Shown query={query}>{() => null}</Shown>
    </Dialog>
  );
};

const Details = ({
  template,
  onOpen,
  onClose,
  onChanged,
}: { template: Template } & Omit<TemplateDialogProps, 'id' | 'row'>): JSX.Element => {
  const text = useText(templatesText);
  const mayWrite = useMay('member');
  const params = { id: template.id };
  const sync = useWrite((_: undefined, call) => api.syncTemplate({ params }, call), onChanged);
  const unpause = useWrite((_: undefined, call) => api.unpauseTemplate({ params }, call), onChanged);
  const error = sync.error ?? unpause.error;
  const { question, remove } = useRemoval({
    title: `${text.remove}: ${template.name}`,
    action: text.remove,
    words: text.removeText,
    send: (call) => api.deleteTemplate({ params }, call),
    onRemoved: () => {
      onClose();
      void refresh('listTemplates');
    },
  });
  return (
    <>
      <Dialog
        title={template.name}
        onClose={onClose}
        wide
        footer={
          mayWrite && (
            <>
              <Button look="quiet" icon="trash" onClick={remove}>
                {text.remove}
              </Button>
              <span className="grow" />
              <Button icon="refresh" isSoftDisabled={sync.isPending} onClick={() => sync.run(undefined)}>
                {text.syncOne}
              </Button>
              {template.status === 'PAUSED' && (
                <Button isSoftDisabled={unpause.isPending} onClick={() => unpause.run(undefined)}>
                  {text.unpause}
                </Button>
              )}
              <Ways template={template} />
            </>
          )
        }
      >
        {error && <TemplateRefusal error={error} />}
        <Languages template={template} onOpen={onOpen} />
        <div className="beside-preview">
          <div className="stack">
            <Rejection template={template} />
            <About template={template} />
            <TemplateFigures template={template} />
            <TemplateUses template={template} />
          </div>
          <TemplatePreview parts={partsOf(template)} values={draftOf(template)?.examples ?? {}} />
        </div>
      </Dialog>
      {question}
    </>
  );
};

/** To the builder: in another language, and to change it. */
const Ways = ({ template }: { template: Template }): JSX.Element | null => {
  const text = useText(templatesText);
  if (!draftOf(template)) return null;
  return (
    <>
      <Link className="button" to="/templates/new" search={{ from: template.id }}>
        {text.otherLanguage}
      </Link>
      {isChangeable(template) && (
        <Link className="button primary" to="/templates/$id/edit" params={{ id: template.id }}>
          <Icon name="edit" />
          {text.edit}
        </Link>
      )}
    </>
  );
};

/** The languages of the name beside each other; one alone has nothing to choose. */
const Languages = ({ template, onOpen }: { template: Template; onOpen: (id: string) => void }): JSX.Element | null => {
  const text = useText(templatesText);
  const { tag } = useLocale();
  const { data } = useQuery(read('listTemplates', { query: { name: template.name, status: 'all', limit: 100 } }));
  const all = data?.data ?? [];
  if (all.length < 2) return null;
  return (
    <div className="tabs" role="tablist" aria-label={text.languages}>
      {all.map(({ id, language, status }) => (
        <button key={id} type="button" role="tab" aria-selected={id === template.id} onClick={() => onOpen(String(id))}>
          {languageName(tag, language)}
          {status !== 'APPROVED' && ` (${stateOf(text, status).name})`}
        </button>
      ))}
    </div>
  );
};

/** Why it was refused, and what to do. */
const Rejection = ({ template }: { template: Template }): JSX.Element | null => {
  const text = useText(templatesText);
  const rejection = rejectionOf(text, template);
  if (!rejection) return null;
  return (
    <div className="notice bad">
      <Icon name="alert" />
      <div className="problem-card">
        <strong>{rejection.reason}</strong>
        <span>{rejection.remedy}</span>
      </div>
    </div>
  );
};

const About = ({ template }: { template: Template }): JSX.Element => {
  const text = useText(templatesText);
  const { tag } = useLocale();
  const cost = useCost(template.category);
  const { name, look } = stateOf(text, template.status);
  const { upcoming_category: upcoming, edits_left: edits, max_price: most } = template;
  return (
    <Facts
      facts={[
        [text.status, <State key="status" name={name} look={look} />],
        [text.language, languageName(tag, template.language)],
        [text.category, categoryOf(text, template.category)],
        most === null
          ? cost === undefined
            ? undefined
            : [text.cost, cost]
          : [text.maxPrice, text.atMostEach(moneyText(tag, most, { isPrice: true }))],
        upcoming === null
          ? undefined
          : [
              text.willBe,
              <span key="upcoming">
                {categoryOf(text, upcoming.category)} {upcoming.at !== null && <Time at={upcoming.at} />}
              </span>,
            ],
        template.disable_date === null ? undefined : [text.disabledOn, <Time key="disable" at={template.disable_date} />],
        edits === null ? undefined : [text.editsLeft, text.edits(edits.today, edits.in_30_days)],
        [text.changed, <Time key="changed" at={template.updated_at} long />],
        ['Id', <Copyable key="id" value={String(template.id)} />],
      ]}
    />
  );
};
