import { type FormEvent, type JSX, useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Conversation, Template } from '../../../client/client.ts';
import { Badge, Button, Empty, Field, Loading } from '../../components/basics.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { inboxText } from '../../text/inbox.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.ts';
import { componentsOf, filled, partsOf, placeholdersOf } from './template-parts.ts';

/** Chooses an approved template, fills it with a preview beside it, and sends it once. */
const TemplatePicker = ({
  conversation,
  onClose,
  onSent,
}: {
  conversation: Conversation;
  onClose: () => void;
  onSent: () => void;
}): JSX.Element => {
  const text = useText(inboxText);
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<Template>();
  const { data, error } = useQuery(read('listTemplates', { query: { status: 'APPROVED', limit: 100 } }));
  // codes are sent by verification alone
  const templates = (data?.data ?? []).filter(
    ({ name, category }) => category !== 'AUTHENTICATION' && name.toLowerCase().includes(search.trim().toLowerCase()),
  );
  if (chosen)
    return (
      <FillTemplate template={chosen} conversation={conversation} onBack={() => setChosen(undefined)} onClose={onClose} onSent={onSent} />
    );
  return (
    <Dialog title={text.chooseTemplate} onClose={onClose} wide>
      <label className="search">
        <Icon name="search" />
        <span className="hidden-text">{text.searchTemplates}</span>
        <input
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the first thing of the dialog
          autoFocus
          type="search"
          placeholder={text.searchTemplates}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && templates[0]) setChosen(templates[0]);
          }}
        />
      </label>
      {error && <ProblemCard error={error} />}
      {!data && !error && <Loading rows={4} />}
      {data && templates.length === 0 && (
        <Empty icon="template" title={text.noTemplates}>
          <p>{text.noTemplatesHint}</p>
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

const FillTemplate = ({
  template,
  conversation,
  onBack,
  onClose,
  onSent,
}: {
  template: Template;
  conversation: Conversation;
  onBack: () => void;
  onClose: () => void;
  onSent: () => void;
}): JSX.Element => {
  const text = useText(inboxText);
  const shell = useText(shellText);
  const parts = useMemo(() => partsOf(template), [template]);
  const wanted = useMemo(() => placeholdersOf(parts), [parts]);
  const first = (conversation.contact.name ?? '').split(' ')[0] ?? '';
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    wanted[0] && first !== '' && /^(body:)?(1|.*name.*)$/.test(wanted[0].name) ? { [wanted[0].id]: first } : {},
  );
  const send = useWrite(
    (_: undefined, call) =>
      api.sendTemplate(
        {
          body: {
            contact_id: conversation.id,
            template_name: template.name,
            template_language: template.language,
            components: componentsOf(template, parts, values),
          },
        },
        call,
      ),
    () => {
      void refresh('listConversationMessages', 'getConversation', 'listConversations', 'getInboxCounts');
      onSent();
      onClose();
    },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.run(undefined);
  };
  return (
    <Dialog
      title={template.name}
      onClose={onClose}
      wide
      footer={
        <>
          <Button look="quiet" icon="left" onClick={onBack}>
            {shell.back}
          </Button>
          <span className="grow" />
          <Button type="submit" form="fill-template" look="primary" icon="send" disabled={send.isPending}>
            {text.sendTemplate}
          </Button>
        </>
      }
    >
      <div className="fill-template">
        <form id="fill-template" className="stack" onSubmit={submit}>
          {wanted.map(({ id, name, part }, index) => (
            <Field key={id} id={`template-${id}`} label={part === 'media' ? text.headerLink : text.parameter(name)}>
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
        <figure aria-label={text.preview} className="template-preview">
          <div className="message ours">
            <div className="bubble" dir="auto">
              {parts.media !== undefined && (
                <span className="file">
                  <Icon name="image" size={20} /> {parts.media.toLowerCase()}
                </span>
              )}
              {parts.header !== undefined && <strong>{filled(parts.header, 'header', values)}</strong>}
              <p className="words">{filled(parts.body, 'body', values)}</p>
              {parts.footer !== undefined && <p className="muted">{parts.footer}</p>}
              <div className="choices">
                {parts.buttons.map((button) => (
                  <span key={button.text}>{button.text}</span>
                ))}
              </div>
            </div>
          </div>
        </figure>
      </div>
    </Dialog>
  );
};
