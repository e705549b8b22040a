import { type FormEvent, type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button, Field } from '../../components/basics.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { toastProblem } from '../../components/toasts.tsx';
import { type Answer, api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { inboxText } from '../../text/inbox.ts';
import { openedText } from '../../text/opened.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.ts';
import { toastRevert } from './revert-toast.tsx';

type CannedReply = Answer<'listCannedReplies'>['data'][number];

/** The saved replies of the company: to add, change and remove. */
const ManageReplies = ({ onClose }: { onClose: () => void }): JSX.Element => {
  const text = useText(inboxText);
  const opened = useText(openedText);
  const shell = useText(shellText);
  const { data, error } = useQuery(read('listCannedReplies'));
  const [reply, setReply] = useState({ shortcut: '', text: '' });
  const save = useWrite(
    ({ shortcut, text: words }: typeof reply, call) => api.setCannedReply({ params: { shortcut }, body: { text: words } }, call),
    () => {
      setReply({ shortcut: '', text: '' });
      void refresh('listCannedReplies');
    },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // the form stands inside the composer's
    event.stopPropagation();
    save.run({ shortcut: reply.shortcut.trim().replace(/^\//, ''), text: reply.text.trim() });
  };
  const putBack = (shortcut: string, body: { text: string }): void =>
    void api.setCannedReply({ params: { shortcut }, body }).then(() => refresh('listCannedReplies'), toastProblem);
  const remove = ({ shortcut, text: words }: CannedReply): void =>
    void api.deleteCannedReply({ params: { shortcut } }).then(() => {
      toastRevert(text, opened.replyRemoved(shortcut), () => putBack(shortcut, { text: words }));
      return refresh('listCannedReplies');
    }, toastProblem);
  return (
    <Dialog title={text.savedReplies} onClose={onClose} wide>
      {error && !data && <ProblemCard error={error} />}
      <ul className="template-list">
        {data?.data.map((each) => (
          <li key={each.shortcut} className="row">
            <button type="button" className="grow" onClick={() => setReply(each)}>
              <code>/{each.shortcut}</code>
              <span className="muted cut" dir="auto" style={{ display: 'block' }}>
                {each.text}
              </span>
            </button>
            <Button look="quiet" small icon="trash" label={shell.remove} onClick={() => remove(each)} />
          </li>
        ))}
      </ul>
      <form className="stack" onSubmit={submit}>
        <Field id="reply-shortcut" label={opened.replyShortcut} hint={opened.replyShortcutHint}>
          <input
            id="reply-shortcut"
            className="input"
            required
            pattern="/?[^\s\/]+"
            title={opened.replyShortcutForm}
            maxLength={40}
            value={reply.shortcut}
            onChange={(event) => setReply({ ...reply, shortcut: event.target.value })}
          />
        </Field>
        <Field id="reply-text" label={opened.replyText} hint={opened.replyTextHint}>
          <textarea
            id="reply-text"
            className="input"
            aria-describedby="reply-text-hint"
            dir="auto"
            rows={3}
            required
            maxLength={4_096}
            value={reply.text}
            onChange={(event) => setReply({ ...reply, text: event.target.value })}
          />
        </Field>
        {save.error && <ProblemCard error={save.error} />}
        <Button type="submit" look="primary" isSoftDisabled={save.isPending}>
          {shell.save}
        </Button>
      </form>
    </Dialog>
  );
};
export default ManageReplies;
