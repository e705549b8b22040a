import { type FormEvent, type JSX, useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Number as CompanyNumber, Template } from '../../../client/client.ts';
import { Badge, Button, Empty, Field, Loading } from '../../components/basics.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { DialogSearch } from '../../components/dialog-search.tsx';
import { Icon } from '../../components/icons.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { inboxText } from '../../text/inbox.ts';
import { openedText } from '../../text/opened.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.ts';
import { componentsOf, filled, partsOf, placeholdersOf, type TemplateParts } from './template-parts.ts';
import { Words } from './words.tsx';

interface TemplatePickerProps {
  recipient: { id: number; name: string | null };
  /** The number to send from, and whose templates are shown; the API chooses one where none is named. */
  number?: Pick<CompanyNumber, 'id' | 'waba_id'>;
  onClose: () => void;
  onSent: () => void;
}

/** Chooses an approved template, fills it with a preview beside it, and sends it once. */
const TemplatePicker = (props: TemplatePickerProps): JSX.Element => {
  const { number, onClose } = props;
  const text = useText(inboxText);
  const opened = useText(openedText);
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<Template>();
  const { data, error } = useQuery(read('listTemplates', { query: { status: 'APPROVED', limit: 100 } }));
  // codes are sent by verification alone
  const templates = (data?.data ?? []).filter(
    ({ name, category, waba_id: account }) =>
      category !== 'AUTHENTICATION' &&
      (account === null || number === undefined || account === number.waba_id) &&
      name.toLowerCase().includes(search.trim().toLowerCase()),
  );
  if (chosen) return <FillTemplate {...props} template={chosen} onBack={() => setChosen(undefined)} />;
  return (
    <Dialog title={text.chooseTemplate} onClose={onClose} wide>
      <DialogSearch
        label={opened.searchTemplates}
        value={search}
        onText={setSearch}
        onEnter={() => templates[0] && setChosen(templates[0])}
      />
      {error && <ProblemCard error={error} />}
      {!data && !error && <Loading rows={4} />}
      {data && templates.length === 0 && (
        <Empty icon="template" title={opened.noTemplates}>
          <p>{opened.noTemplatesHint}</p>
        </Empty>
      )}
      <ul className="template-list">
        {templates.map((template) => (
          <li key={template.id}>
            <button type="button" onClick={() => setChosen(template)}>
              <span className="row">
                <strong className="cut grow">{template.name}</strong>
                <Badge>{template.language}</Badge>
                <Badge look={template.category === 'MARKETING' ? 'info' : ''}>{template.category.toLowerCase()}</Badge>
              </span>
              <span className="muted cut" dir="auto" style={{ display: 'block' }}>
                {partsOf(template).body}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
};
export default TemplatePicker;

interface FillTemplateProps extends TemplatePickerProps {
  template: Template;
  onBack: () => void;
}

const FillTemplate = ({ template, recipient, number, onBack, onClose, onSent }: FillTemplateProps): JSX.Element => {
  const opened = useText(openedText);
  const shell = useText(shellText);
  const parts = useMemo(() => partsOf(template), [template]);
  const wanted = useMemo(() => placeholdersOf(parts), [parts]);
  const first = (recipient.name ?? '').split(' ')[0] ?? '';
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    wanted[0] && first !== '' && /^(body:)?(1|.*name.*)$/.test(wanted[0].name) ? { [wanted[0].id]: first } : {},
  );
  const { name, language } = template;
  const to = { contact_id: recipient.id, ...(number ? { number_id: number.id } : {}) };
  const send = useWrite(
    (components: ReturnType<typeof componentsOf>, call) =>
      api.sendTemplate({ body: { ...to, template_name: name, template_language: language, components } }, call),
    () => {
      void refresh('listConversationMessages', 'getConversation', 'listConversations', 'getInboxCounts');
      onSent();
      onClose();
    },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.run(componentsOf(template, parts, values));
  };
  return (
    <Dialog
      title={name}
      onClose={onClose}
      wide
      footer={
        <>
          <Button look="quiet" icon="left" onClick={onBack}>
            {shell.back}
          </Button>
          <span className="grow" />
          <Button type="submit" form="fill-template" look="primary" icon="send" isSoftDisabled={send.isPending}>
            {opened.sendTemplate}
          </Button>
        </>
      }
    >
      <div className="fill-template">
        <form id="fill-template" className="stack" onSubmit={submit}>
          {wanted.map(({ id, name: placeholder, part }, index) => (
            <Field key={id} id={`template-${id}`} label={part === 'media' ? opened.headerLink : opened.parameter(placeholder)}>
              <input
                id={`template-${id}`}
                className="input"
                dir="auto"
                required
                {...(part === 'media' ? { type: 'url' } : {})}
                // oxlint-disable-next-line jsx-a11y/no-autofocus -- the first field of the dialog
                autoFocus={index === 0}
                value={values[id] ?? ''}
                onChange={(event) => setValues({ ...values, [id]: event.target.value })}
              />
            </Field>
          ))}
          {send.error && <ProblemCard error={send.error} />}
        </form>
        <Preview parts={parts} values={values} />
      </div>
    </Dialog>
  );
};

/** The template as the contact gets it, with what was filled in so far. */
const Preview = ({ parts, values }: { parts: TemplateParts; values: Readonly<Record<string, string>> }): JSX.Element => {
  const opened = useText(openedText);
  return (
    <figure aria-label={opened.preview} className="template-preview">
      <div className="message ours">
        <div className="bubble" dir="auto">
          {parts.media !== undefined && (
            <span className="file">
              <Icon name="image" size={20} /> {parts.media.toLowerCase()}
            </span>
          )}
          {parts.header !== undefined && <strong>{filled(parts.header, 'header', values)}</strong>}
          <Words text={filled(parts.body, 'body', values)} />
          {parts.footer !== undefined && <p className="muted">{parts.footer}</p>}
          <div className="choices">
            {parts.buttons.map((button) => (
              <span key={button.text}>{button.text}</span>
            ))}
          </div>
        </div>
      </div>
    </figure>
  );
};
