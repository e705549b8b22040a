import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { mostOfNumber as most } from '../../../functions/messaging/domain/number-limits.ts';
import { isUsername } from '../../../functions/messaging/domain/username.ts';
import { Badge, Button } from '../../components/basics.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { CheckField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { ConfirmDialog, FormDialog } from '../../components/form-dialog.tsx';
import { Section } from '../../components/page.tsx';
import { Shown } from '../../components/shown.tsx';
import { toast } from '../../components/toasts.tsx';
import { type Answer, api, SwitchboardProblem } from '../../data/client.ts';
import { usernameOf } from '../../data/number-tools.ts';
import { queryClient, read, refresh } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { numberToolsText } from '../../text/number-tools.ts';
import { useText } from '../../text/text.ts';
import { useWithin } from './within.ts';

type UsernameAnswer = Answer<'getNumberUsername'>;

/** The username of a number: whether customers see it, another one, or none. */
export const NumberUsername = ({ id }: { id: number }): JSX.Element => {
  const text = useText(numberToolsText);
  const mayWrite = useMay('admin');
  const params = { id };
  const query = useQuery(read('getNumberUsername', { params }));
  const { dialog, open, close } = useDialog();
  const done = (answer: UsernameAnswer, words: string): void => {
    queryClient.setQueryData(read('getNumberUsername', { params }).queryKey, answer);
    toast(words);
    close();
  };
  const choose = (username: string | null): void =>
    open(<UsernameForm id={id} username={username} onDone={(answer) => done(answer, text.usernameSet)} onClose={close} />);
  const remove = (username: string): void =>
    open(
      <ConfirmDialog
        title={text.usernameDeleteTitle(`@${username}`)}
        action={text.usernameDelete}
        send={(call) => api.deleteNumberUsername({ params }, call)}
        onDone={(answer) => done(answer, text.usernameDeleted)}
        onClose={close}
      >
        <p>{text.usernameDeleteText}</p>
      </ConfirmDialog>,
    );
  return (
    <Section title={text.username} hint={text.usernameHint}>
      <Shown query={query} rows={1}>
        {({ data: { username, status } }) => (
          <div className="row actions">
            {username === null ? (
              <span className="muted">{text.usernameNone}</span>
            ) : (
              <>
                <strong className="cut" dir="ltr">
                  @{username}
                </strong>
                <Badge look={status === 'approved' ? 'good' : ''}>
                  {status === 'approved' ? text.usernameApproved : text.usernameReserved}
                </Badge>
              </>
            )}
            {mayWrite && (
              <Button small icon="edit" onClick={() => choose(username)}>
                {username === null ? text.usernameChoose : text.usernameChange}
              </Button>
            )}
            {mayWrite && username !== null && (
              <Button small look="danger" icon="trash" onClick={() => remove(username)}>
                {text.usernameDelete}
              </Button>
            )}
          </div>
        )}
      </Shown>
      {dialog}
    </Section>
  );
};

/** Why the provider refused a username, in words beside the field. */
const useRefused = (): ((error: unknown) => string | undefined) => {
  const text = useText(numberToolsText);
  const words: Readonly<Record<string, string>> = {
    147001: text.usernameTaken,
    147002: text.usernameTaken,
    147003: text.usernameTaken,
    147004: text.usernameLater,
    147005: text.usernameOwn,
  };
  return (error) => (error instanceof SwitchboardProblem ? words[String(error.details['provider_code'])] : undefined);
};

interface UsernameFormProps {
  id: number;
  username: string | null;
  onDone: (answer: UsernameAnswer) => void;
  onClose: () => void;
}

const UsernameForm = ({ id, username, onDone, onClose }: UsernameFormProps): JSX.Element => {
  const text = useText(numberToolsText);
  const within = useWithin();
  const refused = useRefused();
  const { values, field, check, submitting } = useForm(
    { username: username ?? '', take_over: false },
    ({ username: written, take_over }, call) =>
      api.setNumberUsername({ params: { id }, body: { username: usernameOf(written), take_over } }, call),
    (answer) => {
      // the number that had it has none now
      void refresh('getNumberUsername');
      onDone(answer);
    },
  );
  const name = usernameOf(values.username);
  const given = within(field('username'), most.username, text.usernameRule);
  const isWrong = name.length > 2 && !isUsername(name);
  return (
    <FormDialog
      {...submitting}
      title={text.usernameChoose}
      action={text.usernameReserve}
      isDisabled={!isUsername(name) || name === username}
      onClose={onClose}
    >
      <TextField
        label={text.username}
        dir="ltr"
        spellCheck={false}
        autoCapitalize="none"
        {...given}
        problem={given.problem ?? refused(submitting.write.error) ?? (isWrong ? text.usernameWrong : undefined)}
      />
      <CheckField label={text.usernameTake} hint={text.usernameTakeHint} {...check('take_over')} />
    </FormDialog>
  );
};
