import { type FormEvent, type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { CrmPreferences } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Badge, Button, Loading } from '../../components/basics.tsx';
import { CheckField, isOfFields, problemOf, TextField } from '../../components/fields.tsx';
import { Icon, Spinner } from '../../components/icons.tsx';
import { Page, Section } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { type Answer, api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { settingsText } from '../../text/settings.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.ts';

type Verification = Answer<'replacePreferences'>['data']['verification'];

/** How the signed-in user is reminded: the number, whether it is verified, and of what. */
const Preferences = (): JSX.Element => {
  const text = useText(settingsText);
  const [verification, setVerification] = useState<Verification>();
  // the message with the code comes from the phone: looked for until it has come
  const { data, error, refetch } = useQuery({ ...read('getPreferences'), refetchInterval: verification ? 4_000 : false });
  useInspectable({ title: text.preferences, object: data?.data, call: { operation: 'getPreferences', input: {} } });
  const isPending = data?.data.verification_status === 'pending';
  return (
    <Page title={text.preferences}>
      {error && <ProblemCard error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && <PreferencesForm preferences={data.data} onSaved={setVerification} />}
      {isPending && verification && (
        <div className="notice info" role="status">
          <Icon name="phone" />
          <div className="stack">
            <p>{text.verifyText(verification.code, verification.send_to)}</p>
            <code className="verify-code">{verification.code}</code>
            <p>
              <a className="button" href={verification.wa_link} target="_blank" rel="noreferrer">
                {text.openWhatsApp}
              </a>
            </p>
          </div>
        </div>
      )}
    </Page>
  );
};
export default Preferences;

const fields = ['work_number', 'opted_in', 'notify_tasks'];

const PreferencesForm = ({
  preferences,
  onSaved,
}: {
  preferences: CrmPreferences;
  onSaved: (verification: Verification) => void;
}): JSX.Element => {
  const text = useText(settingsText);
  const shell = useText(shellText);
  const [phone, setPhone] = useState(preferences.work_number === null ? '' : `+${preferences.work_number}`);
  const [optedIn, setOptedIn] = useState(preferences.opted_in);
  const [notify, setNotify] = useState(preferences.notify_tasks);
  const save = useWrite(
    (_: undefined, call) =>
      api.replacePreferences(
        { body: { work_number: phone.trim() === '' ? null : phone.trim(), opted_in: optedIn, notify_tasks: notify } },
        call,
      ),
    ({ data }) => {
      onSaved(data.verification);
      void refresh('getPreferences');
      toast(text.saved);
    },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.run(undefined);
  };
  const [words, look] = (
    {
      none: [text.verificationNone, ''],
      pending: [text.verificationPending, 'warn'],
      verified: [text.verificationVerified, 'good'],
      expired: [text.verificationExpired, 'warn'],
    } as const
  )[preferences.verification_status];
  return (
    <form noValidate onSubmit={submit}>
      {save.error && !isOfFields(save.error, fields) && <ProblemCard error={save.error} />}
      <Section title={text.reminders} hint={text.preferencesHint}>
        <TextField
          label={text.workNumber}
          hint={text.workNumberHint}
          type="tel"
          autoComplete="tel"
          value={phone}
          onText={setPhone}
          problem={problemOf(save.error, 'work_number')}
        />
        <p className="row">
          {text.verification} <Badge look={look}>{words}</Badge>
        </p>
        <CheckField label={text.optedIn} checked={optedIn} onCheck={setOptedIn} />
        <CheckField label={text.notifyTasks} checked={notify} onCheck={setNotify} />
        <div className="actions">
          <Button type="submit" look="primary" disabled={save.isPending}>
            {save.isPending && <Spinner />}
            {shell.save}
          </Button>
        </div>
      </Section>
    </form>
  );
};
