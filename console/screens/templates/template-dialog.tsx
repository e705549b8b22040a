import type { JSX } from 'react';
import type { Template } from '../../../client/client.ts';
import { Button, Copyable, State } from '../../components/basics.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useRemoval } from '../../components/form-dialog.tsx';
import { Facts } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { partsOf } from '../../components/template-parts.ts';
import { TemplatePreview } from '../../components/template-preview.tsx';
import { Time } from '../../components/time.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { useMay } from '../../data/session.ts';
import { templatesText } from '../../text/templates.ts';
import { useText } from '../../text/text.ts';
import { stateOf } from './template-words.ts';

interface TemplateDialogProps {
  template: Template;
  onClose: () => void;
  onChanged: () => void;
}

/** One template as a customer sees it, where it stands at the provider, and what can be done about that. */
export const TemplateDialog = ({ template, onClose, onChanged }: TemplateDialogProps): JSX.Element => {
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
      onChanged();
      onClose();
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
              {template.status === 'PAUSED' && (
                <Button isSoftDisabled={unpause.isPending} onClick={() => unpause.run(undefined)}>
                  {text.unpause}
                </Button>
              )}
              <Button icon="refresh" isSoftDisabled={sync.isPending} onClick={() => sync.run(undefined)}>
                {text.syncOne}
              </Button>
            </>
          )
        }
      >
        {error && <ProblemCard error={error} />}
        <div className="beside-preview">
          <About template={template} />
          <TemplatePreview parts={partsOf(template)} values={{}} />
        </div>
      </Dialog>
      {question}
    </>
  );
};

const About = ({ template }: { template: Template }): JSX.Element => {
  const text = useText(templatesText);
  const { name, look } = stateOf(text, template.status);
  const { rejection_info: info, rejected_reason: reason, upcoming_category: upcoming, edits_left: edits } = template;
  return (
    <Facts
      facts={[
        [text.status, <State key="status" name={name} look={look} />],
        reason === null ? undefined : [text.why, info?.reason ?? reason],
        info?.recommendation ? [text.whatToDo, info.recommendation] : undefined,
        [text.language, template.language],
        [text.category, template.category.toLowerCase()],
        upcoming === null
          ? undefined
          : [
              text.willBe,
              <span key="upcoming">
                {upcoming.category.toLowerCase()} {upcoming.at !== null && <Time at={upcoming.at} />}
              </span>,
            ],
        template.disable_date === null ? undefined : [text.disabledOn, <Time key="disable" at={template.disable_date} />],
        edits === null ? undefined : [text.editsLeft, text.edits(edits.today, edits.in_30_days)],
        ['Id', <Copyable key="id" value={String(template.id)} />],
      ]}
    />
  );
};
