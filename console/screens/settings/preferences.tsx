import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { CrmPreferences } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Shown } from '../../components/shown.tsx';
import { Badge } from '../../components/basics.tsx';
import { CheckField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { Icon } from '../../components/icons.tsx';
import { Page, Section } from '../../components/page.tsx';
import { toast } from '../../components/toasts.tsx';
import { type Answer, api } from '../../data/client.ts';
import { queryClient, read } from '../../data/queries.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';
import { SettingsForm } from '../../components/settings-form.tsx';
import { WeeklySummary } from './weekly-summary.tsx';

type Verification = Answer<'replacePreferences'>['data']['verification'];

/** How the signed-in user is reminded: the number, whether it is verified, and of what. */
const Preferences = (): JSX.Element => {
  const text = useText(settingsText);
  const [verification, setVerification] = useState<Verification>();
  // the message with the code comes from the phone: looked for until it has come
  const query = useQuery({ ...read('getPreferences'), refetchInterval: verification ? 4_000 : false });
  useInspectable({ title: text.preferences, object: query.data?.data, call: { operation: 'getPreferences', input: {} } });
  const isPending = query.data?.data.verification_status === 'pending';
  return (
    <Page title={text.preferences}>
      <Shown query={query}>{({ data }) => <PreferencesForm preferences={data} onSaved={setVerification} />}</Shown>
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
      <WeeklySummary />
    </Page>
  );
};
export default Preferences;

type PreferencesFormProps = { preferences: CrmPreferences; onSaved: (verification: Verification) => void };
const PreferencesForm = ({ preferences, onSaved }: PreferencesFormProps): JSX.Element => {
  const text = useText(settingsText);
  const { work_number: number, opted_in, notify_tasks } = preferences;
  const { field, check, submitting } = useForm(
    { work_number: number === null ? '' : `+${number}`, opted_in, notify_tasks },
    ({ work_number: given, ...others }, call) =>
      api.replacePreferences({ body: { work_number: given.trim() === '' ? null : given.trim(), ...others } }, call),
    (answer) => {
      onSaved(answer.data.verification);
      queryClient.setQueryData(read('getPreferences').queryKey, answer);
      toast(text.saved);
    },
  );
  const [words, look] = (
    {
      none: [text.verificationNone, ''],
      pending: [text.verificationPending, 'warn'],
      verified: [text.verificationVerified, 'good'],
      expired: [text.verificationExpired, 'warn'],
    } as const
  )[preferences.verification_status];
  return (
    <SettingsForm submitting={submitting} mayWrite>
      <Section title={text.reminders} hint={text.preferencesHint}>
        <TextField label={text.workNumber} hint={text.workNumberHint} type="tel" {...field('work_number')} autoComplete="tel" />
        <p className="row">
          {text.verification} <Badge look={look}>{words}</Badge>
        </p>
        <CheckField label={text.optedIn} {...check('opted_in')} />
        <CheckField label={text.notifyTasks} {...check('notify_tasks')} />
      </Section>
    </SettingsForm>
  );
};
